"""Single animations as files: ``.anim`` of WadTool and ``.trw`` of WADMerger."""
