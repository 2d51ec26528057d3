//! Small words of both languages that decide what a sentence says: those that deny, oblige, compare or tell a status are read as their
//! class, so that 未 and 没有, "must" and "has to" are the same; those that only join or accompany are left out. All in folded form.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// What a word means for whether a summary is borne, whichever of its synonyms is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Not,
    /// That it can't be, or may not: 不能, "cannot".
    Unable,
    Forbidden,
    Must,
    Need,
    /// Somebody wants it so: 要求, "requires".
    Demand,
    Should,
    Advise,
    May,
    Allow,
    Perhaps,
    Suspect,
    Expect,
    Wish,
    /// Somebody holds it to be so.
    Believe,
    Future,
    If,
    Only,
    Except,
    Until,
    Formerly,
    Nearly,
    Partly,
    About,
    Within,
    Before,
    After,
    Up,
    Down,
    Faster,
    Slower,
    Better,
    Worse,
    Earlier,
    Later,
    Larger,
    Smaller,
    Longer,
    Shorter,
    AtMost,
    AtLeast,
    Done,
    Pending,
    Ongoing,
    Cancelled,
    Paused,
    Resumed,
    Postponed,
    Started,
    Failed,
    Passed,
    Approved,
    Rejected,
    /// Who speaks: 我, "I", and the user that a summary makes of it.
    Speaker,
}

/// What stands right before a word and says which part it plays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Lead {
    #[default]
    None,
    /// 从 3.2%, "from": what was.
    From,
    /// 到 3.6%, "to", 为: what it is now.
    To,
    /// 被, 由, "by": who does it.
    By,
    /// 比, "than".
    Than,
    /// 给, 向, "for", "of": somebody or something that has a part in it and is not its subject.
    Beside,
    /// "in", "on": where or when.
    At,
    /// 的, "'s", "my": belongs to what stands before it.
    Of,
    /// 是, "is": what it is said to be.
    Is,
}

/// What a small word is to the reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    Class(Class),
    /// Two classes in one word: "shouldn't".
    Both(Class, Class),
    Lead(Lead),
    /// Carries nothing.
    Small,
    /// Joins things of one kind: 和, "and".
    Joins,
    /// Begins a clause: 并且, "but".
    Begins,
    /// Begins a clause that is only about the word before it: "which".
    Aside,
    /// What somebody is: 律师.
    Title,
    /// Is only what it is written as: has a word of another list inside.
    Plain,
}

use Class::{
    About, Advise, After, Allow, Approved, AtLeast, AtMost, Before, Believe, Better, Cancelled, Demand, Done, Down,
    Earlier, Except, Expect, Failed, Faster, Forbidden, Formerly, Future, If, Larger, Later, Longer, May, Must, Nearly,
    Need, Not, Ongoing, Only, Partly, Passed, Paused, Pending, Perhaps, Postponed, Rejected, Resumed, Shorter, Should,
    Slower, Smaller, Speaker, Started, Suspect, Unable, Until, Up, Wish, Within, Worse,
};

const CLASSES: &[(Class, &str)] = &[
    (Not, "不 没 没有 未 未能 无 非 并未 并不 并没有 尚未 还没 不是 不会 从未 毫无 不再 不用 无需 无须 不需要 不必"),
    (
        Not,
        "not|never|no|without|nobody|nothing|none|neither|nor|no longer|did not|does not|do not|is not|was not|has not",
    ),
    (Unable, "不能 不能够 无法"),
    (Unable, "cannot|can not|can't|couldn't|could not|unable to|not be able to"),
    (Forbidden, "不得 不可 不可以 不许 不准 不要 禁止 严禁 请勿 切勿 勿 别 不允许 禁用"),
    (Forbidden, "must not|mustn't|forbidden|prohibited|not allowed"),
    (Must, "必须 务必 一定要 必需 须 得要 强制"),
    (Must, "must|have to|has to|had to|mandatory|shall|be sure to"),
    (Need, "需 需要"),
    (Need, "need to|needs to|need|needs|needed"),
    (Demand, "要求"),
    (Demand, "requires|required|require|requirement|demands|demanded|demand"),
    (Should, "应该 应当 应 该当 最好 宜"),
    (Should, "should|ought to|had better"),
    (Advise, "建议 推荐"),
    (Advise, "recommended|recommends|recommend|advised|advises|suggested|suggests|suggest"),
    (May, "可以 可 能 能够 可选 得以"),
    (May, "can|optional|optionally|able to|free to"),
    (Allow, "允许 准许"),
    (Allow, "allowed to|allowed|permitted|permits|allows|allow"),
    (Perhaps, "可能 也许 或许 大概率 说不定 似乎 好像 恐怕 有望"),
    (Perhaps, "may|might|could|maybe|perhaps|possibly|possible|probably|likely|seems|seem|apparently"),
    (Suspect, "疑似 怀疑 初步判断"),
    (Suspect, "suspect|suspected|suspects"),
    (Expect, "预计 估计"),
    (Expect, "expected|expects|estimated|estimates"),
    (Future, "将 将要 将会 即将 计划 打算 准备 拟 有待 待会 会在"),
    (
        Future,
        "will|going to|plan to|plans to|planned to|planned|planning to|intend to|intends to|is to|are to|about to",
    ),
    (Wish, "希望 想 想要 期望 盼望"),
    (Wish, "wish|wishes|wished|hope|hopes|hoped|want|wants|wanted"),
    (Believe, "认为 觉得 以为 相信"),
    (Believe, "think|thinks|thought|believe|believes|believed|assumes|assumed|claims|claimed|argues|argued"),
    (If, "如果 若 要是 假如 假设 倘若 一旦 万一 除非 只要 视情况"),
    (If, "if|unless|in case|provided that|assuming|whether|once|only if|as long as"),
    (Only, "只 仅 仅仅 只有 唯一 单独 才 才能 才可 才可以 才会 方可"),
    (Only, "only|just|solely|merely"),
    (Except, "除了 除 不含 不包括 不包含 排除 以外 之外 剔除 扣除"),
    (Except, "except|except for|excluding|other than|apart from|excluded|excludes"),
    (Until, "直到 为止 有效期至 有效期到"),
    (Until, "until|till"),
    (Formerly, "原来 原定 原计划 原本 本来 曾 曾经 以前 此前 过去"),
    (Formerly, "originally|previously|formerly|used to|initially|was supposed to|had been"),
    (Partly, "一半 部分 大部分 大半 半数 多半"),
    (Partly, "half|partly|partially|most of|mostly|some|some of"),
    (Nearly, "差点 几乎 快要 还差 差一点"),
    (Nearly, "nearly|almost"),
    (About, "约 大约 约为 左右 上下 近 将近 接近"),
    (About, "approximately|approx|approx.|roughly|around|circa"),
    (Within, "以内 之内 内"),
    (Within, "within"),
    (Before, "之前 截止 截至 前"),
    (Before, "before|no later than|due|prior to"),
    (After, "之后 以后"),
    (After, "after|since|following"),
    (
        Up,
        "上升 上涨 上调 增长 增加 提高 提升 升高 升 涨 增 增至 升至 高于 多于 大于 超过 超出 高出 多出 回升 走高 更高 更多 较高 偏高 变高 高 多 调高",
    ),
    (
        Up,
        "rose|rise|rises|risen|rising|increased|increase|increases|increasing|up|grew|grow|grows|grown|growth|higher|more|greater|above|over|exceeds|exceed|exceeded|exceeding|climbed|raised",
    ),
    (
        Down,
        "下降 下跌 下调 减少 降低 下滑 降 跌 减 降至 低于 少于 小于 不足 回落 走低 更低 更少 较低 偏低 变低 低 少 调低",
    ),
    (
        Down,
        "fell|fall|falls|fallen|falling|decreased|decrease|decreases|decreasing|down|dropped|drop|drops|lower|less|fewer|below|under|declined|decline|declines|reduced|reduce|reduces|reduction|cut|lowered",
    ),
    (Faster, "快 更快 快于 加快"),
    (Faster, "faster|quicker"),
    (Slower, "慢 更慢 慢于 放缓"),
    (Slower, "slower"),
    (Better, "优于 好于 更好"),
    (Better, "better|improved|outperformed|outperforms"),
    (Worse, "劣于 差于 更差"),
    (Worse, "worse|worsened|underperformed"),
    (Earlier, "早于 更早"),
    (Earlier, "earlier"),
    (Later, "晚于 更晚"),
    (Later, "later"),
    (Larger, "扩大 更大"),
    (Larger, "larger|bigger"),
    (Smaller, "缩小 更小"),
    (Smaller, "smaller|shrank"),
    (Longer, "更长 延长"),
    (Longer, "longer"),
    (Shorter, "更短 缩短"),
    (Shorter, "shorter"),
    (AtMost, "不超过 最多 至多 不高于 不多于 不大于 上限为 上限 以下"),
    (AtMost, "at most|no more than|up to|not exceed|not exceeding|maximum|max|not more than|capped at"),
    (AtLeast, "不低于 不少于 至少 最少 不小于 起码 下限为 下限 以上"),
    (AtLeast, "at least|no less than|no fewer than|minimum|min|not less than"),
    (Done, "完成 完毕 已完成 做完 搞定 办妥 完工 完结 结束"),
    (Done, "done|finished|completed|complete|finish|finishes|completes|concluded|wrapped up"),
    (Pending, "待办 待处理 待定 待 未决 待确认 尚待 未开始 排队中"),
    (Pending, "pending|todo|to do|outstanding|not started|awaiting|awaits|queued|unresolved|still open"),
    (Ongoing, "进行中 处理中 正在"),
    (Ongoing, "in progress|ongoing|underway|doing|under way"),
    (Cancelled, "取消 作废 撤销 撤回 叫停 废弃"),
    (Cancelled, "cancelled|canceled|cancel|cancels|called off|revoked|withdrawn|scrapped|dropped from|aborted"),
    (Paused, "暂停 中止 搁置 挂起 暂缓"),
    (Paused, "paused|pause|pauses|on hold|suspended|suspend|put on hold|halted|frozen"),
    (Resumed, "恢复 重新开始"),
    (Resumed, "resumed|resume|resumes|restored|reinstated"),
    (Postponed, "推迟 延期 延后 顺延 推后 延迟到"),
    (Postponed, "postponed|postpone|postpones|delayed|deferred|defer|pushed back|put off"),
    (Started, "开始 启动 开工 动工"),
    (Started, "started|start|starts|began|begun|begin|begins|kicked off"),
    (Failed, "失败 未通过 没通过 没有通过 不通过 报错 出错"),
    (Failed, "failed|fail|fails|failing|failure|failures|unsuccessful|did not pass"),
    (Passed, "通过 成功"),
    (Passed, "passed|pass|passes|passing|succeeded|succeeds|successful|successfully|success"),
    (Approved, "批准 同意 获批 审批通过"),
    (Approved, "approved|approve|approves|agreed|agrees|agree|accepted|accepts|accept|signed off"),
    (Rejected, "驳回 拒绝 否决 反对 不同意 未批准 没批准 不批准"),
    (
        Rejected,
        "rejected|rejects|reject|declines to|denied|denies|refused|refuses|refuse|turned down|vetoed|disagreed|disagrees",
    ),
    (Speaker, "我 我们 咱们 本人 用户 俺 咱 用户要求 用户说 用户提出 我要求 我们要求"),
    (
        Speaker,
        "i|we|me|us|my|our|mine|ours|the user|the user's|user|user's|the users|the user asked|the user asks|the user said|i'm|we're|i've|we've|i'd|i'll",
    ),
];

const LEADS: &[(Lead, &str)] = &[
    (Lead::From, "从 自 由原来的 原"),
    (Lead::From, "from"),
    (Lead::To, "到 至 为 达 达到 成 改为 改到 改成"),
    (Lead::To, "to|at"),
    (Lead::By, "被 由 遭"),
    (Lead::By, "by"),
    (Lead::Than, "比 较 相比 相较 较之 与上周相比"),
    (Lead::Than, "than|versus|vs|vs.|compared to|compared with"),
    (Lead::Beside, "给 跟 向 对 替 让 叫 请 于 针对 关于"),
    (Lead::Beside, "of|for|with|about|against|toward|towards|via|on behalf of|regarding|because of|due to|via"),
    (Lead::At, "in|on|during"),
    (Lead::Of, "的"),
    (Lead::Of, "'s"),
    (Lead::Is, "是"),
    (Lead::Is, "is|are|was|were|be|been|being|am|it's|that's|isn't it"),
];

const SMALL: &str = "了 要不要 能不能 是不是 会不会 有没有 可不可以 就 在 都 也 有 着 吧 啊 呀 哦 呢 嘛 吗 嗯 啦 把 将把 已 已经 现已 均 其 其中 此外 另外 另 共 共计 总共 一共 目前 当前 现在 现 这 那 该 这个 那个 之 地 得 所 以 而言 来说 方面 还 又 已于 于是 然后 接着 便 则 即 他 她 它 他们 她们 它们 其他的 因此 所以 最终 最后 过 来 去 上述 以上是 一下 一个 个 整体 总体 刚 刚刚";
const SMALL_EN: &str = "a|an|the|this|that|these|those|there|here|it|its|they|them|their|he|him|his|she|her|hers|as|into|onto|both|also|too|then|now|currently|already|please|do|does|did|doing|has|have|had|having|so|such|very|all|each|overall|total|in total|that's|would|you|your|finally|instead|thus|hence|therefore|moreover|furthermore|additionally|further|per|yet|still|s|ok|okay|out|off";
/// What is said stands apart from who says it, too.
const JOINS: &str = "说 表示 提到 指出 反馈说 说明 和 与 及 以及 跟 或 或者";
const JOINS_EN: &str =
    "said|says|say|noted|notes|reported that|reports that|stated|states that|or|plus|as well as|along with";
const BEGINS: &str =
    "并且 并 而且 但是 但 然而 而 同时 因为 由于 不过 可是 只是 否则 随后 却 且 虽然 尽管 导致 以便 为了";
const BEGINS_EN: &str =
    "but|while|whereas|although|though|because|however|meanwhile|otherwise|then|yet|and then|when|until then|so that";
const ASIDES: &str = "who|which|whose|whom";

/// Headings of a summary that claim nothing. Not 已完成 and 待办: they say how things stand.
pub(super) const HEADINGS: &[&str] = &[
    "要点",
    "摘要",
    "总结",
    "小结",
    "结论",
    "背景",
    "数据",
    "细节",
    "事实",
    "备注",
    "说明",
    "概况",
    "关键信息",
    "key points",
    "summary",
    "conclusion",
    "conclusions",
    "background",
    "details",
    "facts",
    "figures",
    "notes",
    "note",
    "context",
    "overview",
    "key facts",
];

/// What somebody is, before their name: it may be left out.
pub(super) const TITLES: &str = "作家 歌手 演员 导演 律师 医生 护士 主任 经理 采购经理 产品经理 项目经理 总监 技术总监 总经理 老师 实习老师 班主任 教授 教练 工长 客服 会计 法务 助理 秘书 \
    候选人 客户 患者 租客 业主 志愿者 嘉宾 作者 仓管 司机 设计师 工程师 研究员 架构师 组长 队长 部长 局长 院长 校长 同事 同学 学生 家长 维修师傅 师傅 主管 店长 厨师 记者 主编 编辑 顾问 代表";
/// In English, by stems as well as whole words: nothing else tells a trade before a name from a verb before it.
pub(super) const TITLES_EN: &str = "ceo cto cfo coo vp dr mr ms mrs prof author singer actor writer customer agent candidate patient nurse doctor \
    attorney lawyer counsel coach foreman buyer volunteer trainee tenant landlord resident teacher trainer tutor manager engineer designer director \
    professor competitor client colleague student analyst editor chef driver technician captain officer president developer reviewer maintainer \
    operator contractor supplier vendor partner guest speaker host journalist architect accountant assistant intern reporter consultant";

/// Words with one of those above inside that mean something by themselves.
const PLAIN: &str = "想法 思想 设想 联想 理想 感想 猜想 想象 部分之间 优先 首先 先后 先生 先进 再次 再生 主要 重要 次要 必要 概要 首要 要点 特别 别人 别的 别墅 级别 类别 性别 分别 区别 识别 个别 告别 差别 鉴别 判别 非常 非洲 不仅 不但 不论 无论 无锡 无线 差不多 \
    目的 的士 标的 合并 并发 并行 并列 并购 及时 涉及 普及 以及时 参与 与会 和平 总和 饱和 温和 共和 目前 提前 前端 前台 前缀 前提 前后 前往 前期 前置 前面 当前 \
    会议 机会 能力 功能 性能 智能 节能 能源 能耗 可用 可靠 可视 许可 可乐 应用 应急 响应 供应 效应 反应 适应 对应 应收 应付 应答 应届 该项 应对 \
    需求 急需 必须品 有效 有限 所有 现有 有关 含有 在线 存在 在职 现在 在途 内存 内部 内容 内网 内核 国内 室内 境内 内测 内置 \
    将来 将军 未来 未知 无效 无人 非法 非空 不同 不良 不锈钢 不动产 没收 高峰 高级 高校 高铁 高度 提高度 最高 最低 高温 低温 高压 低压 高频 高并发 高可用 高新 \
    多少 多数 多个 多次 多余 许多 很多 多种 多云 多维 多项 多份 多家 少数 减法 减肥 降温 增值 增量 升级 升学 涨幅 跌幅 降级 增删 快递 快照 快速 快讯 慢性 慢查询 低保 低代码 \
    支付给 到期 到账 到货 到达 到场 到位 到底 报到 收到 遇到 找到 看到 得到 达到 至今 甚至 截至 为止 因为 作为 行为 为什么 成本 成员 成功 成都 成交 成绩 成果 成立 完成 组成 生成 合成 成分 形成 集成 构成 \
    比例 比较 比赛 占比 同比 环比 对比 性价比 比如 比率 从事 从业 自动 自己 自由 自身 来自 自营 自定义 自测 原因 原理 原料 原型 原文 原件 原始 还原 \
    由于 理由 路由 事由 给予 供给 对象 对接 对账 对手 核对 对外 对内 面对 校对 派对 对照 对话 对方 向量 方向 转向 倾向 意向 \
    让步 转让 出让 叫车 请求 请假 申请 邀请 请客 聘请 请示 关于 由于 就绪 就业 成就 就诊 替换 替代 \
    只读 一只 仅供 单独 除法 删除 清除 移除 去除 解除 扣除 免除 拆除 排除故障 附近 最近 近期 约定 预约 合约 违约 节约 大约 约谈 续约 签约 契约 近日 \
    得分 取得 值得 心得 获得 所得 地址 地点 地区 地铁 地方 基地 场地 当地 地图 地产 了解 为了 着手 着重 过程 过期 过敏 过滤 经过 通过 超过 错过 \
    来源 本来 原来 未来 往来 来电 来访 去年 先生 优先 首先 先后 即时 立即 随即 即使 其实 尤其 其余 其它 其他 还款 归还 偿还 再次 再生 才能 人才 \
    以太网 可以 以及 所以 说法 小说 学说 解说 现金 现场 实现 发现 表现 出现 现货 该死 应该 里程 公里 里程碑 个人 个性 个体 个股 整体 总体 那里 这里 哪里 \
    非工作 如果 要求 待遇 期待 招待 等待 接待 待机 结束 高于 正在 需要 进行中 待处理 用户名 用户数 用户组 用户端 用户量 用户体验 用户画像 用户协议 多云天 不少 至于 少儿 少年 上升 下降";

/// In English.
const PLAIN_EN: &str = "as well|follow up|follow-up|set up|sign up|back up|backup|start up|startup|pick up|clean up|look up|warm up|wrap up|shut down|break down|broke down|count down|cut over|hand over|take over|fail over|roll over|over time|moreover|left over|no one|no.|may day|to-do list";

/// A word's entry, longest words first where they share a beginning.
pub(super) struct Words {
    /// Words of ideographs.
    han: BTreeMap<&'static str, Entry>,
    /// Latin words and phrases by their first word, longest first.
    latin: BTreeMap<&'static str, Vec<(&'static str, Entry)>>,
}

/// Longest word of ideographs in the lists, in characters.
const HAN_CHARACTERS_MAX: usize = 6;

impl Words {
    pub(super) fn table() -> &'static Self {
        static TABLE: OnceLock<Words> = OnceLock::new();
        TABLE.get_or_init(|| {
            let mut words = Self { han: BTreeMap::new(), latin: BTreeMap::new() };
            for &(class, list) in CLASSES {
                words.add(list, Entry::Class(class));
            }
            for &(lead, list) in LEADS {
                words.add(list, Entry::Lead(lead));
            }
            for (list, entry) in [
                (SMALL, Entry::Small),
                (SMALL_EN, Entry::Small),
                (JOINS, Entry::Joins),
                (JOINS_EN, Entry::Joins),
                (BEGINS, Entry::Begins),
                (BEGINS_EN, Entry::Begins),
                (ASIDES, Entry::Aside),
                (TITLES, Entry::Title),
                (PLAIN, Entry::Plain),
                (PLAIN_EN, Entry::Plain),
            ] {
                words.add(list, entry);
            }
            for (word, second) in [("shouldn't", Should), ("won't", Future)] {
                words.add_latin(word, Entry::Both(second, Not));
            }
            for phrases in words.latin.values_mut() {
                phrases.sort_by_key(|(phrase, _)| std::cmp::Reverse(phrase.len()));
            }
            words
        })
    }

    /// Lists of Latin words are divided by bars, because phrases have spaces; a word that several lists have is the first one's.
    fn add(&mut self, list: &'static str, entry: Entry) {
        if list.is_ascii() {
            list.split('|').for_each(|phrase| self.add_latin(phrase, entry));
            return;
        }
        for word in list.split_whitespace() {
            self.han.entry(word).or_insert(entry);
        }
    }

    fn add_latin(&mut self, phrase: &'static str, entry: Entry) {
        let first = phrase.split(' ').next().unwrap_or(phrase);
        let phrases = self.latin.entry(first).or_default();
        if !phrases.iter().any(|(known, _)| *known == phrase) {
            phrases.push((phrase, entry));
        }
    }

    /// The longest listed word that a text of ideographs begins with: its length in bytes, and what it is.
    pub(super) fn han(&self, text: &str) -> Option<(usize, Entry)> {
        let ends: Vec<usize> = text.char_indices().take(HAN_CHARACTERS_MAX).map(|(at, c)| at + c.len_utf8()).collect();
        ends.into_iter().rev().find_map(|end| Some((end, *self.han.get(&text[..end])?)))
    }

    /// The longest listed phrase that a text begins with, of which `first` is the first word.
    pub(super) fn latin(&self, text: &str, first: &str) -> Option<(usize, Entry)> {
        let phrases = self.latin.get(first)?;
        phrases.iter().find_map(|&(phrase, entry)| {
            let rest = text.strip_prefix(phrase)?;
            let goes_on = rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            (!goes_on).then_some((phrase.len(), entry))
        })
    }
}

impl Class {
    /// What leaving it out changes: a source's word of these must be in a summary of its clause.
    pub(super) fn turns(self) -> bool {
        self.denies()
            || self.binds()
            || matches!(self, If | Only | Except | Until | Formerly | Nearly | Partly | About | AtMost | AtLeast)
            || matches!(self, Pending | Cancelled | Paused | Postponed | Failed | Rejected)
    }

    /// Says no.
    pub(super) fn denies(self) -> bool {
        matches!(self, Not | Unable | Forbidden)
    }

    /// Says how binding or how certain it is.
    pub(super) fn binds(self) -> bool {
        matches!(
            self,
            Must | Need | Demand | Should | Advise | May | Allow | Perhaps | Suspect | Expect | Wish | Believe | Future
        )
    }

    /// Says which of two is more, or earlier, or better.
    pub(super) fn compares(self) -> bool {
        matches!(
            self,
            Up | Down | Faster | Slower | Better | Worse | Earlier | Later | Larger | Smaller | Longer | Shorter
        )
    }

    /// Says how the number or date beside it is meant: left out, the number says something else.
    pub(super) fn bounds(self) -> bool {
        self.compares() || matches!(self, AtMost | AtLeast | About | Within | Before | After)
    }
}
