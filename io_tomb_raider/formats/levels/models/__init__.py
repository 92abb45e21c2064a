"""Models: mesh trees and bounding boxes (chapters 5.4 and 6.2)."""
