//! Words that carry a question but not what it is about. Only queries look here: documents are indexed whole, so that the
//! lists can change without a re-index.

use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Longest entry of the Chinese lists, in characters.
const CHARACTERS_MAX: usize = 5;

/// Particles, pronouns, question words, light verbs and polite phrases.
const CHINESE: &str = "
的 了 吗 呢 啊 吧 么 呀 哦 嘛 啦 哈 嗯 之 得 地 着 过
我 你 您 他 她 它 咱 俺 我们 你们 您们 他们 她们 它们 咱们 大家 自己
是 在 有 和 与 跟 及 或 或者 而 而且 就 都 也 还 又 再 才 只 很 太 更 最 把 被 给 让 对 向 从 到 由 为 于 以 用 按 比 请 想 要 会 能 可 去 来 说 问 叫 做 写 看 帮 个 些 第
是不是 有没有 能不能 可不可以 会不会 要不要 对不对 好不好 行不行 是否 能否 可否
可以 可能 应该 需要 能够 想要 希望 觉得 知道 告诉 告诉我 请问 帮我 帮忙 麻烦 一下 一个 一些 一点 有点 关于 对于 以及 因为 所以 如果 但是 不过 然后 还有 还是 已经 正在 曾经 之前说 上次说
这 那 哪 这个 那个 哪个 这些 那些 哪些 这里 那里 哪里 这儿 那儿 哪儿 这样 那样 这么 那么 此 该 其
什么 甚么 啥 什么时候 什么样 为什么 为何 为啥 怎么 怎样 怎么样 怎么办 如何 谁 谁的 几 几个 几点 多少 多久 多大 何时 何地 何处 哪天 哪位 哪年
";

/// Words with a stop word inside that mean something as a whole: they are looked for first.
const CHINESE_KEPT: &str = "
目的 目的地 的确 的士 标的 了解 为了 了结 着急 着手 着装 着陆 过程 过去 过期 过敏 过滤 经过 通过 超过 错过 过年 过夜 得到 得分 取得 获得 心得 值得 地址 地点 地图 地区 地铁 地方 地产 地面 当地 基地 场地 各地 外地
和平 和解 总和 饱和 现在 在线 存在 在职 在家 内在 有效 有限 所有 拥有 有关 有机 没有 只有 持有 私有 有害 就业 成就 就诊 就餐 首都 都市 成都 还款 归还 再见 才能 人才 最新 最后 最近 最大 最小 最低 最高 把握 被动 被子 给付 让步
对象 对比 对接 对手 对账 绝对 相对 针对 反对 方向 向量 从事 到期 到达 收到 迟到 报到 达到 自由 理由 行为 为难 关于我们 以后 以前 以上 以下 以内 用户 用途 用量 用药 使用 应用 费用 信用 公用 通用 专用 作用 利用 用餐 用例 用法 按钮 按时 比例 比较 比赛 对比 占比 申请 请求 请假 请客 邀请 想法 理想 思想 要求 要点 重要 主要 必要 纪要 摘要 会议 会员 开会 机会 社会 会计 协会 年会 晚会 周会 例会 约会 能力 功能 性能 智能 可靠 许可 可用 可乐 去年 来源 未来 原来 往来 来电 说明 小说 演说 问题 访问 问卷 疑问 顾问 提问 问候 叫车 做法 写作 编写 填写 写字楼 看板 看法 看病 帮助 个人 个性 个体 些许 第三方 第一
我国 自我 其他 其中 其实 尤其 该死 此外 因此 是非 还原 几何 几乎 多少钱 谁家 哪吒 这边
";

/// Articles, pronouns, auxiliaries, question words, prepositions, and what is said to be polite.
const ENGLISH: &str = "
a an the this that these those there here it its i me my mine we us our ours you your yours he him his she her hers they
them their theirs who whom whose which what when where why how is am are was were be been being do does did done doing
have has had having will would shall should can could may might must to of in on at by for from with about into onto over
under as and or but if then than so not no nor too very just also any some all each every both either neither please tell
say said let lets get got give know need want like me us s t re ve ll d m dont doesnt didnt isnt arent wasnt werent cant
couldnt wont wouldnt shouldnt im ive youre thats whats theres
";

struct Lists {
    stop: BTreeSet<Vec<char>>,
    kept: BTreeSet<Vec<char>>,
}

fn chinese() -> &'static Lists {
    static LISTS: OnceLock<Lists> = OnceLock::new();
    LISTS.get_or_init(|| {
        let set = |list: &str| list.split_whitespace().map(|word| word.chars().collect()).collect();
        Lists { stop: set(CHINESE), kept: set(CHINESE_KEPT) }
    })
}

/// For each character of a run: whether it belongs to a stop word. At each place the longest word of either list wins.
pub(crate) fn mask(characters: &[char]) -> Vec<bool> {
    let Lists { stop, kept } = chinese();
    let mut stopped = vec![false; characters.len()];
    let mut at = 0;
    while at < characters.len() {
        let longest = CHARACTERS_MAX.min(characters.len() - at);
        let found = (1..=longest).rev().find_map(|length| {
            let word = &characters[at..at + length];
            if kept.contains(word) { Some((length, false)) } else { stop.contains(word).then_some((length, true)) }
        });
        let (length, is_stop) = found.unwrap_or((1, false));
        stopped[at..at + length].fill(is_stop);
        at += length;
    }
    stopped
}

/// Whether a lower-case English word is a stop word.
pub(crate) fn is_english(word: &str) -> bool {
    static LIST: OnceLock<BTreeSet<&'static str>> = OnceLock::new();
    LIST.get_or_init(|| ENGLISH.split_whitespace().collect()).contains(word)
}
