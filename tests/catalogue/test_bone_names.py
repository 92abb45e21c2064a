"""Names of bones in other programs, and the limbs that they mean."""

from __future__ import annotations

import pytest

from io_tomb_raider.catalogue.bone_names import ARM, LEG, BoneRole, LimbBone, find_bones, read_name

pytestmark = pytest.mark.once

# Trees by indentation: two blanks per level. The marked bones are those that are found, in this order:
# hips, thigh, calf, foot, torso, upper arm, lower arm, hand, head (the left ones).
SKELETONS = {
    "CMU": """
        Hips*
          LHipJoint
            LeftUpLeg*
              LeftLeg*
                LeftFoot*
                  LeftToeBase
          RHipJoint
            RightUpLeg
              RightLeg
                RightFoot
          LowerBack
            Spine
              Spine1*
                Neck
                  Neck1
                    Head*
                LeftShoulder
                  LeftArm*
                    LeftForeArm*
                      LeftHand*
                        LeftFingerBase
                          LeftHandIndex1
                        LThumb
                RightShoulder
                  RightArm
                    RightForeArm
                      RightHand""",
    "old BVH": """
        Hips*
          LeftHip*
            LeftKnee*
              LeftAnkle*
          RightHip
            RightKnee
              RightAnkle
          Chest*
            LeftCollar
              LeftShoulder*
                LeftElbow*
                  LeftWrist*
            RightCollar
              RightShoulder
                RightElbow
                  RightWrist
            Neck
              Head*""",
    "Unreal": """
        root
          pelvis*
            spine_01
              spine_02
                spine_03*
                  clavicle_l
                    upperarm_l*
                      lowerarm_l*
                        hand_l*
                          index_01_l
                        lowerarm_twist_01_l
                      upperarm_twist_01_l
                  clavicle_r
                    upperarm_r
                      lowerarm_r
                        hand_r
                  neck_01
                    head*
            thigh_l*
              calf_l*
                calf_twist_01_l
                foot_l*
                  ball_l
              thigh_twist_01_l
            thigh_r
              calf_r
                foot_r
          ik_foot_root
            ik_foot_l
            ik_foot_r""",
    "Rigify": """
        DEF-spine*
          DEF-pelvis.L
          DEF-thigh.L*
            DEF-thigh.L.001
              DEF-shin.L*
                DEF-shin.L.001
                  DEF-foot.L*
                    DEF-toe.L
          DEF-thigh.R
            DEF-thigh.R.001
              DEF-shin.R
                DEF-shin.R.001
                  DEF-foot.R
          DEF-spine.001
            DEF-spine.002
              DEF-spine.003*
                DEF-shoulder.L
                  DEF-upper_arm.L*
                    DEF-upper_arm.L.001
                      DEF-forearm.L*
                        DEF-forearm.L.001
                          DEF-hand.L*
                DEF-shoulder.R
                  DEF-upper_arm.R
                    DEF-upper_arm.R.001
                      DEF-forearm.R
                        DEF-hand.R
                DEF-neck
                  DEF-head*""",
    "Biped": """
        Bip01
          Bip01 Pelvis*
            Bip01 L Thigh*
              Bip01 L Calf*
                Bip01 L Foot*
            Bip01 R Thigh
              Bip01 R Calf
                Bip01 R Foot
            Bip01 Spine
              Bip01 Spine1*
                Bip01 Neck
                  Bip01 Head*
                Bip01 L Clavicle
                  Bip01 L UpperArm*
                    Bip01 L Forearm*
                      Bip01 L Hand*
                Bip01 R Clavicle
                  Bip01 R UpperArm
                    Bip01 R Forearm
                      Bip01 R Hand""",
    "VRM": """
        Root
          J_Bip_C_Hips*
            J_Bip_L_UpperLeg*
              J_Bip_L_LowerLeg*
                J_Bip_L_Foot*
            J_Bip_R_UpperLeg
              J_Bip_R_LowerLeg
                J_Bip_R_Foot
            J_Bip_C_Spine
              J_Bip_C_UpperChest*
                J_Bip_C_Neck
                  J_Bip_C_Head*
                    J_Sec_Hair1_01
                J_Bip_L_Shoulder
                  J_Bip_L_UpperArm*
                    J_Bip_L_LowerArm*
                      J_Bip_L_Hand*
                J_Bip_R_Shoulder
                  J_Bip_R_UpperArm
                    J_Bip_R_LowerArm
                      J_Bip_R_Hand""",
    "MakeHuman": """
        root*
          pelvis.L
            upperleg01.L*
              upperleg02.L
                lowerleg01.L*
                  lowerleg02.L
                    foot.L*
          pelvis.R
            upperleg01.R
              upperleg02.R
                lowerleg01.R
                  lowerleg02.R
                    foot.R
          spine05
            spine04*
              clavicle.L
                shoulder01.L
                  upperarm01.L*
                    upperarm02.L
                      lowerarm01.L*
                        lowerarm02.L
                          wrist.L*
              clavicle.R
                shoulder01.R
                  upperarm01.R
                    upperarm02.R
                      lowerarm01.R
                        wrist.R
              neck01
                head*""",
    "Poser": """
        hip
          pelvis*
            lThighBend*
              lThighTwist
                lShin*
                  lFoot*
            rThighBend
              rThighTwist
                rShin
                  rFoot
          abdomenLower
            chestUpper*
              lCollar
                lShldrBend*
                  lShldrTwist
                    lForearmBend*
                      lForearmTwist
                        lHand*
              rCollar
                rShldrBend
                  rForearmBend
                    rHand
              neckLower
                head*""",
    "MocapNET": """
        hip*
          rbuttock
            rhip
              rknee
                rfoot
                  toe1-1.R
          lbuttock
            lhip*
              lknee*
                lfoot*
                  toe1-1.L
          abdomen
            chest*
              neck
                head*
                  __jaw
              rcollar
                rshoulder
                  relbow
                    rhand
              lcollar
                lshoulder*
                  lelbow*
                    lhand*
                      lthumb""",
    "SMPL": """
        m_avg_root
          m_avg_Pelvis*
            m_avg_L_Hip*
              m_avg_L_Knee*
                m_avg_L_Ankle*
                  m_avg_L_Foot
            m_avg_R_Hip
              m_avg_R_Knee
                m_avg_R_Ankle
                  m_avg_R_Foot
            m_avg_Spine1
              m_avg_Spine2
                m_avg_Spine3*
                  m_avg_Neck
                    m_avg_Head*
                  m_avg_L_Collar
                    m_avg_L_Shoulder*
                      m_avg_L_Elbow*
                        m_avg_L_Wrist*
                          m_avg_L_Hand
                  m_avg_R_Collar
                    m_avg_R_Shoulder
                      m_avg_R_Elbow
                        m_avg_R_Wrist
                          m_avg_R_Hand""",
    "Acclaim": """
        root*
          lhipjoint
            lfemur*
              ltibia*
                lfoot*
                  ltoes
          rhipjoint
            rfemur
              rtibia
                rfoot
          lowerback
            upperback
              thorax*
                lowerneck
                  upperneck
                    head*
                lclavicle
                  lhumerus*
                    lradius*
                      lwrist*
                        lhand
                rclavicle
                  rhumerus
                    rradius
                      rwrist""",
    "Bandai-Namco": """
        joint_Root
          Hips*
            Spine
              Chest*
                Neck
                  Head*
                Shoulder_L
                  UpperArm_L*
                    LowerArm_L*
                      Hand_L*
                Shoulder_R
                  UpperArm_R
                    LowerArm_R
                      Hand_R
            UpperLeg_L*
              LowerLeg_L*
                Foot_L*
                  Toes_L
            UpperLeg_R
              LowerLeg_R
                Foot_R""",
    "Auto-Rig Pro": """
        root.x*
          thigh_stretch.l*
            thigh_twist.l
            leg_stretch.l*
              leg_twist.l
              foot.l*
                toes_01.l
          thigh_stretch.r
            leg_stretch.r
              foot.r
          spine_01.x
            spine_02.x*
              neck.x
                head.x*
              shoulder.l
                arm_stretch.l*
                  arm_twist.l
                  forearm_stretch.l*
                    hand.l*
              shoulder.r
                arm_stretch.r
                  forearm_stretch.r
                    hand.r""",
    "Rigify's metarig": """
        spine*
          spine.001
            spine.002
              spine.003*
                spine.004
                  spine.005
                    spine.006*
                      face
                        nose
                shoulder.L
                  upper_arm.L*
                    forearm.L*
                      hand.L*
                        palm.01.L
                shoulder.R
                  upper_arm.R
                    forearm.R
                      hand.R
          pelvis.L
          pelvis.R
          thigh.L*
            shin.L*
              foot.L*
                heel.02.L
          thigh.R
            shin.R
              foot.R""",
    "Valve": """
        ValveBiped.Bip01_Pelvis*
          ValveBiped.Bip01_L_Thigh*
            ValveBiped.Bip01_L_Calf*
              ValveBiped.Bip01_L_Foot*
          ValveBiped.Bip01_R_Thigh
            ValveBiped.Bip01_R_Calf
              ValveBiped.Bip01_R_Foot
          ValveBiped.Bip01_Spine
            ValveBiped.Bip01_Spine4*
              ValveBiped.Bip01_Neck1
                ValveBiped.Bip01_Head1*
              ValveBiped.Bip01_L_Clavicle
                ValveBiped.Bip01_L_UpperArm*
                  ValveBiped.Bip01_L_Forearm*
                    ValveBiped.Bip01_L_Hand*
              ValveBiped.Bip01_R_Clavicle
                ValveBiped.Bip01_R_UpperArm
                  ValveBiped.Bip01_R_Forearm
                    ValveBiped.Bip01_R_Hand""",
    "OptiTrack": """
        Hip*
          LThigh*
            LShin*
              LFoot*
                LToe
          RThigh
            RShin
              RFoot
          Ab
            Chest*
              Neck
                Head*
              LShoulder
                LUArm*
                  LFArm*
                    LHand*
              RShoulder
                RUArm
                  RFArm
                    RHand""",
    "Kinect": """
        SPINE_BASE*
          HIP_LEFT*
            KNEE_LEFT*
              ANKLE_LEFT*
                FOOT_LEFT
          HIP_RIGHT
            KNEE_RIGHT
              ANKLE_RIGHT
          SPINE_MID
            SPINE_SHOULDER*
              NECK
                HEAD*
              SHOULDER_LEFT*
                ELBOW_LEFT*
                  WRIST_LEFT*
                    HAND_LEFT
              SHOULDER_RIGHT
                ELBOW_RIGHT
                  WRIST_RIGHT""",
    "Second Life": """
        mPelvis*
          mHipLeft*
            mKneeLeft*
              mAnkleLeft*
                mFootLeft
          mHipRight
            mKneeRight
              mAnkleRight
          mTorso
            mChest*
              mNeck
                mHead*
              mCollarLeft
                mShoulderLeft*
                  mElbowLeft*
                    mWristLeft*
              mCollarRight
                mShoulderRight
                  mElbowRight
                    mWristRight""",
    "Mixamo without a colon": """
        mixamorigHips*
          mixamorigSpine
            mixamorigSpine2*
              mixamorigNeck
                mixamorigHead*
              mixamorigLeftShoulder
                mixamorigLeftArm*
                  mixamorigLeftForeArm*
                    mixamorigLeftHand*
              mixamorigRightShoulder
                mixamorigRightArm
                  mixamorigRightForeArm
                    mixamorigRightHand
          mixamorigLeftUpLeg*
            mixamorigLeftLeg*
              mixamorigLeftFoot*
          mixamorigRightUpLeg
            mixamorigRightLeg
              mixamorigRightFoot""",
    "MMD": """
        センター
          上半身
            上半身2*
              首
                頭*
              左肩
                左腕*
                  左ひじ*
                    左手首*
              右肩
                右腕
                  右ひじ
                    右手首
          下半身*
            左足*
              左ひざ*
                左足首*
            右足
              右ひざ
                右足首""",
    "feet on the root": """
        Bone
          Foot.L*
          Foot.R
          Body*
            Hips
              Torso*
                Head*
                Shoulder.L
                  UpperArm.L*
                    LowerArm.L*
                      Hand.L*
                Shoulder.R
                  UpperArm.R
                    LowerArm.R
                      Hand.R
            UpperLeg.L*
              LowerLeg.L*
            UpperLeg.R
              LowerLeg.R""",
    "ours": """
        Hips*
          Thigh.L*
            Calf.L*
              Foot.L*
          Thigh.R
            Calf.R
              Foot.R
          Torso*
            Upper Arm.R
              Lower Arm.R
                Hand.R
            Upper Arm.L*
              Lower Arm.L*
                Hand.L*
            Head*""",
}
FOUND = [
    LimbBone(BoneRole.HIPS),
    *(LimbBone(role, "L") for role in LEG),
    LimbBone(BoneRole.TORSO),
    *(LimbBone(role, "L") for role in ARM),
    LimbBone(BoneRole.HEAD),
]


def read_tree(text: str) -> tuple[list[str], list[int], list[str]]:
    """Return names and parents of a tree, parents first, and the names of the marked bones."""
    names: list[str] = []
    parents: list[int] = []
    marked: list[str] = []
    above: dict[int, int] = {}
    for line in text.strip("\n").splitlines():
        level = (len(line) - len(line.lstrip()) - 8) // 2
        name = line.strip()
        if name.endswith("*"):
            name = name[:-1]
            marked.append(name)
        parents.append(above[level - 1] if level else -1)
        above[level] = len(names)
        names.append(name)
    return names, parents, marked


@pytest.mark.parametrize("kind", SKELETONS)
def test_limbs_are_found_by_their_names_and_the_trunk_by_its_tree(kind: str) -> None:
    names, parents, marked = read_tree(SKELETONS[kind])
    found = find_bones(names, parents)
    assert {names[found[each]] for each in FOUND if each in found} == set(marked)
    # The right limbs are those of the same roles, in the same order.
    for role in (*LEG, *ARM):
        left, right = (names[found[LimbBone(role, side)]] for side in "LR")
        assert read_name(left)[0] == read_name(right)[0] and left != right


@pytest.mark.parametrize(
    ("name", "words", "side"),
    [
        ("mixamorig:LeftUpLeg", "upleg", "L"),
        ("Character1|RightHandIndex3", "handindex", "R"),
        ("LHipJoint", "hipjoint", "L"),
        ("leftforearm", "forearm", "L"),
        ("thigh_twist_01_l", "thightwist", "L"),
        ("CC_Base_L_Thigh", "thigh", "L"),
        ("Bip001 R Calf", "calf", "R"),
        ("Upper Arm.L", "upperarm", "L"),
        ("HeadTop_End", "headtopend", ""),
        ("lhip", "hip", "L"),
        ("rknee", "knee", "R"),
        ("upperarml", "upperarm", "L"),
        ("lower", "lower", ""),
        ("rear", "rear", ""),
        ("Root_M", "root", ""),
        ("Bone 07", "bone", ""),
        ("", "", ""),
    ],
)
def test_names_are_split_into_words_and_side(name: str, words: str, side: str) -> None:
    assert read_name(name) == (words, side)


def test_a_bone_named_hip_is_the_thigh_if_no_other_is() -> None:
    names, parents = ["Hips", "LeftHip", "LeftThigh", "LeftKnee"], [-1, 0, 1, 2]
    assert find_bones(names, parents)[LimbBone(BoneRole.THIGH, "L")] == 2
    assert find_bones(names[:2], parents[:2])[LimbBone(BoneRole.THIGH, "L")] == 1


def test_a_leg_is_a_thigh_only_above_a_shin() -> None:
    names, parents = ["Hips", "LeftLeg", "LeftShin", "LeftFoot"], [-1, 0, 1, 2]
    found = find_bones(names, parents)
    assert [found[LimbBone(role, "L")] for role in LEG] == [1, 2, 3]


def test_bones_of_a_limb_are_parent_and_child() -> None:
    """Rigs for posing have controls of the same names, which hang on the root."""
    names = ["root", "foot.L", "Hips", "thigh.L", "shin.L", "foot.L.001"]
    found = find_bones(names, [-1, 0, 0, 2, 3, 4])
    assert [found[LimbBone(role, "L")] for role in LEG] == [3, 4, 5]


def test_limbs_of_one_side_give_no_hips_or_torso() -> None:
    found = find_bones(["a", "LeftUpLeg", "LeftLeg"], [-1, 0, 1])
    assert LimbBone(BoneRole.HIPS) not in found and LimbBone(BoneRole.TORSO) not in found
    assert find_bones([], []) == {}


def test_bones_have_the_names_of_our_models() -> None:
    assert LimbBone(BoneRole.UPPER_ARM, "L").name == "Upper Arm.L" and LimbBone(BoneRole.HEAD).name == "Head"
