//! Whether a clause with a loose word of lasting ("always", "never", "every time", 永远, 总是) orders something of whoever serves.
//!
//! Most of what people say with these words orders nothing: "always happy to help", "you never know", "live strings always give me
//! goosebumps", 「生活总是给我惊喜」. So an order has to show itself: a verb of work in its plain form at the head of what is said, or a wish
//! of the speaker for what the other does. "From now on" and 以后 say more by themselves, and are not asked for as much.

/// Words of lasting that as often describe.
const LOOSE: &[&str] = &[
    "always",
    "never",
    "every time",
    "each time",
    "permanently",
    "at all times",
    "as a rule",
    "whenever you",
    "without exception",
    "in the future",
    "in future",
    "in general",
    "all future",
    "make it a habit",
    "remember to always",
];
/// Of these, what begins a case, whose order stands behind a comma.
const CASES: &[&str] = &["every time", "each time", "whenever you"];

/// Plain forms of verbs for work that is asked for. With nothing else an order of them is one about the work.
const WORK_VERBS: &[&str] = &[
    "abbreviate",
    "add",
    "address",
    "annotate",
    "answer",
    "attach",
    "avoid",
    "back",
    "bcc",
    "book",
    "call",
    "capitalise",
    "capitalize",
    "cc",
    "cite",
    "combine",
    "comment",
    "commit",
    "compare",
    "confirm",
    "convert",
    "copy",
    "create",
    "deliver",
    "define",
    "delete",
    "deploy",
    "describe",
    "display",
    "document",
    "double-check",
    "draw",
    "explain",
    "export",
    "format",
    "forward",
    "generate",
    "group",
    "hardcode",
    "highlight",
    "include",
    "indent",
    "insert",
    "label",
    "link",
    "list",
    "log",
    "mark",
    "mention",
    "merge",
    "name",
    "number",
    "omit",
    "order",
    "output",
    "overwrite",
    "phrase",
    "post",
    "present",
    "print",
    "prioritise",
    "prioritize",
    "propose",
    "provide",
    "push",
    "put",
    "quote",
    "recommend",
    "refer",
    "remove",
    "rename",
    "reply",
    "report",
    "respond",
    "restart",
    "return",
    "round",
    "run",
    "save",
    "schedule",
    "send",
    "separate",
    "share",
    "shorten",
    "show",
    "simplify",
    "skip",
    "sort",
    "specify",
    "spell",
    "store",
    "suggest",
    "summarise",
    "summarize",
    "tag",
    "test",
    "touch",
    "translate",
    "truncate",
    "use",
    "verify",
    "wrap",
    "write",
];
/// Verbs of work and of all of life: only with something of the work beside them.
const PLAIN_VERBS: &[&str] = &[
    "ask", "assume", "be", "begin", "break", "change", "check", "close", "do", "end", "ensure", "expect", "explain",
    "finish", "focus", "follow", "forget", "get", "give", "go", "help", "keep", "leave", "look", "make", "notify",
    "open", "prefer", "read", "remember", "remind", "say", "set", "speak", "start", "state", "stick", "stop", "take",
    "talk", "tell", "treat", "update", "wait", "warn", "work",
];
/// These are nouns as well, so at the head of what is said they need an object: "test the build always", but "test results always …".
const NOUNS_TOO: &[&str] = &[
    "address", "answer", "back", "book", "call", "check", "comment", "copy", "document", "end", "export", "format",
    "group", "label", "link", "list", "log", "look", "mark", "name", "number", "order", "output", "phrase", "post",
    "present", "quote", "report", "return", "round", "run", "share", "show", "sort", "spell", "start", "state",
    "store", "tag", "talk", "test", "touch", "update", "work", "wrap",
];
const DETERMINERS: &[&str] = &[
    "a", "an", "the", "all", "my", "me", "it", "them", "every", "each", "any", "your", "our", "this", "these", "that",
    "those", "to", "in", "with", "as", "for", "by", "only", "him", "her",
];
/// With one of them, a plain verb is about the work: it is for the speaker, or of what is made for them.
const OF_THE_WORK: &[&str] = &[
    "me",
    "my",
    "i",
    "before",
    "answer",
    "answers",
    "reply",
    "replies",
    "response",
    "responses",
    "report",
    "reports",
    "summary",
    "summaries",
    "source",
    "sources",
    "date",
    "dates",
    "number",
    "numbers",
    "code",
    "output",
    "file",
    "files",
    "table",
    "tables",
    "chart",
    "charts",
    "invoice",
    "invoices",
    "document",
    "documents",
    "translation",
    "translations",
    "commit",
    "commits",
    "backup",
    "backups",
    "test",
    "tests",
    "emoji",
    "emojis",
    "heading",
    "headings",
    "bullet",
    "bullets",
    "sentence",
    "sentences",
    "paragraph",
    "paragraphs",
    "example",
    "examples",
    "unit",
    "units",
    "currency",
    "conclusion",
    "conclusions",
    "short",
    "brief",
    "concise",
    "formal",
    "polite",
    "direct",
    "precise",
    "specific",
    "metric",
    "english",
    "chinese",
    "spanish",
    "german",
    "french",
    "draft",
    "drafts",
    "database",
    "server",
    "branch",
    "folder",
    "bold",
    "markdown",
    "citation",
    "citations",
    "title",
    "titles",
    "subject",
    "tone",
    "format",
];
/// What is said to anybody, whatever its verb.
const MAXIMS: &[&str] = &[
    "put family",
    "put people",
    "put safety",
    "use your heart",
    "use your head",
    "use your brain",
    "use your judgement",
    "use your judgment",
    "be yourself",
    "be kind",
    "be there",
    "be careful",
    "be grateful",
    "say no",
    "say never",
    "say die",
    "say yes",
    "give up",
    "give in",
    "go back",
    "go wrong",
    "go to bed",
    "look back",
    "look forward",
    "stop learning",
    "stop dreaming",
    "do your best",
    "keep going",
    "keep trying",
    "keep learning",
    "keep smiling",
    "get old",
    "take no",
    "take it for granted",
    "remember that",
    "remember to",
    "remember you",
    "forget to",
    "forget that",
    "forget how",
    "forget who",
    "forget where",
    "forget what",
    "back down",
    "run out",
    "touch wood",
    "put all your eggs",
    "put yourself",
    "call it",
    "break a promise",
    "share a",
    "order the",
    "let me know",
    "let me down",
    "let my",
    "make my day",
    "makes my",
];
/// In front of an order, and no part of it.
const LEADS: &[&str] = &[
    "and",
    "but",
    "also",
    "so",
    "oh",
    "ok",
    "okay",
    "please",
    "pls",
    "kindly",
    "then",
    "just",
    "well",
    "again",
    "plus",
    "hi",
    "hey",
    "hello",
    "thanks",
    "remember to",
    "make sure to",
    "make sure you",
    "make sure that you",
    "be sure to",
    "try to",
    "do",
    "to",
    "in general",
    "one more thing",
    "for me",
];
/// What one wishes of whoever serves, up to the word of lasting.
const WISHES: &[&str] = &[
    "i want you to",
    "i need you to",
    "i'd like you to",
    "i would like you to",
    "i'd love you to",
    "i would love you to",
    "i'd love for you to",
    "i expect you to",
    "i'd prefer you to",
    "i would prefer you to",
    "i'd prefer that you",
    "i would prefer that you",
    "i prefer that you",
    "i prefer you to",
    "i prefer it if you",
    "i'd prefer it if you",
    "i'd appreciate it if you",
    "i would appreciate it if you",
    "i like it when you",
    "i want you",
    "i need you",
    "we want you to",
    "we need you to",
    "we'd like you to",
    "we would like you to",
    "i'd like it if you",
    "could you",
    "can you",
    "would you",
];
const OWN_WISHES: &[&str] = &["want", "need", "prefer", "i'd like", "i would like", "would like", "expect"];
/// What obliges whoever serves.
const DUTIES: &[&str] =
    &["you must", "you have to", "you need to", "you are to", "you're to", "you should", "you shall"];
/// What one asks of whoever answers, and nobody else: "you should always …" is else advice.
const SPOKEN_VERBS: &[&str] =
    &["answer", "cc", "cite", "format", "mention", "output", "reply", "respond", "summarise", "summarize", "translate"];

/// Whether a word of lasting says little by itself.
pub(super) fn is_loose(word: &str) -> bool {
    LOOSE.contains(&word)
}

/// `before` and `after` the word, in their clause. `formed`: the clause names a form of what is made (PDF, tables).
pub(super) fn orders(word: &str, before: &str, after: &str, formed: bool) -> bool {
    let after = after.trim_start_matches([' ', ',', ':']);
    let after = after.strip_prefix("ever ").unwrap_or(after);
    if word == "make it a habit" {
        return after.strip_prefix("to ").is_some_and(|order| asks_for_work(order, formed));
    }
    let bare = without_leads(before);
    if WISHES.iter().any(|wish| bare.ends_with(wish)) {
        return !after.is_empty() && !is_maxim(after);
    }
    if DUTIES.iter().any(|duty| bare.ends_with(duty)) {
        return SPOKEN_VERBS.contains(&first_word(after));
    }
    let own =
        bare == "i" || bare == "we" || bare.starts_with("i ") || bare.starts_with("we ") || bare.starts_with("i'd ");
    if own {
        // "I always want a PDF", "I want the report as PDF every time".
        let wishes = OWN_WISHES.iter().any(|wish| after.starts_with(wish) || bare.contains(wish));
        return wishes && (formed || has_word(after, &["you"]));
    }
    if bare.is_empty() {
        let told = CASES.contains(&word).then(|| after.split_once(", ").map(|(_, order)| order)).flatten();
        let form_first = formed && ["in ", "as ", "with "].iter().any(|lead| after.starts_with(lead));
        return match told {
            Some(order) => asks_for_work(without_leads(order), formed),
            None => asks_for_work(after, formed) || form_first,
        };
    }
    let duty = has_word(bare, &["should", "must"])
        || bare.ends_with("has to")
        || bare.ends_with("have to")
        || bare.ends_with("need to");
    if duty {
        return !bare.starts_with("you") && (formed || has_word(bare, OF_THE_WORK));
    }
    // "Send me a summary every time", "use tabs always"; but in "visuals always make …" the verb is behind.
    let ends_it = after.is_empty()
        || ["when ", "if ", "for ", "in ", "as ", "and ", "please", "unless "]
            .iter()
            .any(|lead| after.starts_with(lead))
        || CASES.contains(&word)
        || !matches!(word, "always" | "never");
    let verb = first_word(bare);
    let object = bare[verb.len()..].trim_start();
    let noun = NOUNS_TOO.contains(&verb) && !DETERMINERS.contains(&first_word(object)) && !formed;
    ends_it && !noun && asks_for_work(bare, formed)
}

/// Whether a text begins with a verb in its plain form that asks for work.
fn asks_for_work(order: &str, formed: bool) -> bool {
    let order = without_leads(order);
    let verb = first_word(order);
    let object = order[verb.len()..].trim();
    if is_maxim(order) || object.is_empty() && verb != "cc" {
        return false;
    }
    if verb == "not" || verb == "don't" {
        return asks_for_work(object, formed);
    }
    WORK_VERBS.contains(&verb) || PLAIN_VERBS.contains(&verb) && (formed || has_word(object, OF_THE_WORK))
}

fn is_maxim(order: &str) -> bool {
    MAXIMS.iter().any(|maxim| {
        order.strip_prefix(maxim).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    })
}

fn first_word(text: &str) -> &str {
    text.split([' ', ',', '.', '!', ':', ';']).next().unwrap_or_default()
}

fn has_word(text: &str, words: &[&str]) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| words.contains(&word))
}

fn without_leads(said: &str) -> &str {
    let mut said = said.trim();
    while let Some(rest) = LEADS.iter().find_map(|lead| {
        said.strip_prefix(lead).filter(|rest| rest.is_empty() || rest.starts_with([' ', ',', ':', '!', '.', '-']))
    }) {
        said = rest.trim_start_matches([' ', ',', ':', '!', '.', '-']);
    }
    said
}

/// Chinese words of lasting that as often describe.
const ZH_LOOSE: &[&str] =
    &["永远", "总是", "始终", "一直", "每次", "每回", "每一次", "长期", "任何时候", "不管什么时候", "无论什么时候"];
/// In front of an order, and no subject.
const ZH_LEADS: &[&str] = &[
    "请",
    "你",
    "您",
    "麻烦",
    "还有",
    "另外",
    "也",
    "要",
    "也要",
    "请你",
    "但",
    "不过",
    "那",
    "所以",
    "记得",
    "记住",
    "希望你",
    "我希望你",
    "我要你",
    "我需要你",
    "对了",
    "然后",
    "而且",
    "最好",
    "你要",
    "你得",
    "你必须",
    "都",
    "都要",
    "必须",
];
/// What is said to anybody, behind 永远 and 不要.
const ZH_MAXIMS: &[&str] = &[
    "把鸡蛋",
    "放弃",
    "相信",
    "低估",
    "高估",
    "后悔",
    "害怕",
    "怀疑",
    "小看",
    "轻言",
    "言败",
    "认输",
    "灰心",
    "妥协",
    "懈怠",
    "气馁",
    "失去",
    "停止学习",
    "停下",
    "说不可能",
    "说放弃",
    "忘了自己",
    "忘记自己",
    "忘了微笑",
    "忘记微笑",
    "忘了初心",
    "忘记初心",
    "做自己",
    "保持微笑",
    "保持乐观",
    "保持好奇",
    "保持善良",
    "保持初心",
    "保持热爱",
    "爱你",
    "支持你",
    "陪着你",
    "陪你",
    "给自己",
    "对自己",
    "别人",
    "为难自己",
];
/// What life and people give one: no order to give it.
const ZH_FEELINGS: &[&str] = &[
    "惊喜",
    "力量",
    "温暖",
    "勇气",
    "快乐",
    "鼓励",
    "感觉",
    "支持",
    "安慰",
    "灵感",
    "压力",
    "启发",
    "信心",
    "希望",
    "动力",
    "感动",
    "安全感",
    "好吃的",
    "添麻烦",
    "帮助",
];

/// Whether a Chinese clause with a loose word describes, or is said to anybody. `served`: something before the word is made by who serves.
pub(super) fn describes_zh(word: &str, before: &str, rest: &str, served: bool) -> bool {
    if !ZH_LOOSE.iter().any(|loose| word.starts_with(loose)) {
        return false;
    }
    let rest = rest.trim_start_matches(['都', '要', '也']);
    let denied = ["不要", "别", "不能", "不"].iter().find_map(|no| rest.strip_prefix(no)).unwrap_or(rest);
    let here = before.rsplit(['，', ',', '。']).next().unwrap_or_default().trim();
    let subject = !here.is_empty() && !ZH_LEADS.contains(&here) && !served;
    subject
        || ZH_MAXIMS.iter().any(|maxim| denied.starts_with(maxim))
        || ZH_FEELINGS.iter().any(|word| rest.contains(word))
}
