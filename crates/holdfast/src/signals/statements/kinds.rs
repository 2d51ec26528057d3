//! Kinds of what one eats and drinks: whoever drinks 拿铁 drinks coffee. Only such as nobody would dispute; not the other way round, for
//! who takes no 拿铁 may take another coffee.

/// A thing, and kinds of it.
const KINDS: &[(&str, &[&str])] = &[
    ("咖啡", &["美式", "黑咖啡", "拿铁", "手冲", "卡布奇诺", "浓缩", "摩卡", "澳白", "冰美式"]),
    ("茶", &["红茶", "绿茶", "乌龙茶", "普洱", "龙井", "白茶", "花茶"]),
    ("酒", &["啤酒", "白酒", "红酒", "黄酒", "葡萄酒", "威士忌"]),
    ("肉", &["猪肉", "牛肉", "羊肉", "鸡肉"]),
    (
        "coffee",
        &[
            "latte",
            "lattes",
            "espresso",
            "cappuccino",
            "cappuccinos",
            "americano",
            "americanos",
            "black coffee",
            "flat whites",
        ],
    ),
    ("tea", &["green tea", "black tea", "oolong"]),
    ("alcohol", &["beer", "wine", "whisky", "whiskey"]),
    ("meat", &["beef", "pork", "chicken", "lamb"]),
];

/// What a thing is a kind of.
pub(super) fn kind_of(thing: &str) -> Option<&'static str> {
    KINDS.iter().find(|(_, kinds)| kinds.contains(&thing)).map(|(kind, _)| *kind)
}
