"""Texts for `reference.py`, made up for this purpose: sentences in both languages, odd ones, and mixtures of both."""

import random

SENTENCES = """
I moved from Leeds to Bristol in March and still miss the market near the canal.
She keeps two spare keys: one with the neighbour, one under the blue flower pot.
The nightly job failed because the disk on build-07 was full; logs are kept for nine days now.
My brother-in-law is called Tomasz, not Thomas.
Please never schedule meetings before 10 a.m. on Mondays.
We agreed to ship version 3.2.1 once the memory leak in the parser is fixed.
Dr. Okafor recommended physiotherapy twice a week instead of surgery.
The password hint is the name of my first dog, but I will not write it here.
He said the budget is €4,500, roughly 35,000 yuan, including flights.
Could you remind me to water the ferns every third day?
Her thesis compares sparse and dense retrieval on short conversational queries.
The cafe on the corner closes at half past six, except on Thursdays.
I used to love jazz; these days it's mostly baroque music and field recordings.
Turn left after the petrol station, then it's the third house with a green door.
The API returns HTTP 429 when more than 100 requests arrive within a minute.
Grandma's recipe needs 250 g flour, 3 eggs, a pinch of salt and far too much butter.
The contract with Meridian Logistics runs out on 2027-02-28.
Nobody on the team speaks Portuguese, so the translation will be done outside.
It rained so hard that the cellar was flooded, and the boiler had to be replaced.
If the deploy goes wrong, roll back first and look for the reason afterwards.
ok
no
What is the name of his daughter?
which of the two laptops has the broken hinge
SELECT name FROM users WHERE id = 42;
fn main() { println!("hello, {}", name); }
https://example.org/a/b?c=d&e=f#section-2
mail me at nina.k+test@example.com, please
TODO: rename `getUserById` to `find_user`
Antidisestablishmentarianism and pneumonoultramicroscopicsilicovolcanoconiosis are long words.
我三月份从成都搬到了厦门，还是很想念楼下的那家面馆。
备用钥匙有两把，一把放在邻居家，一把藏在花盆下面。
昨晚的定时任务失败了，因为构建机的磁盘满了，现在日志只保留九天。
我表哥叫陈旭东，不是陈旭冬。
周一上午十点以前请不要安排会议。
等解析器的内存泄漏修好以后，我们就发布 3.2.1 版本。
医生建议每周做两次康复训练，先不动手术。
密码提示是我养的第一只狗的名字，具体就不写了。
他说预算是四千五百欧元，折合人民币三万五左右，含机票。
能不能每隔三天提醒我给绿萝浇水？
她的论文比较了稀疏检索和稠密检索在短对话查询上的表现。
街角那家咖啡馆六点半关门，星期四除外。
以前我很喜欢爵士乐，现在基本只听巴洛克音乐。
过了加油站左转，第三栋绿色大门的房子就是。
一分钟内超过一百次请求，接口就会返回 429。
外婆的菜谱要二百五十克面粉、三个鸡蛋、少许盐和很多黄油。
与顺达物流的合同将于二〇二七年二月二十八日到期。
团队里没有人会葡萄牙语，所以翻译要外包。
雨下得太大，地下室进水了，锅炉只好换新的。
如果上线出了问题，先回滚，再查原因。
好的
不行
他女儿叫什么名字？
两台笔记本里哪一台的转轴坏了
用户偏好深色主题，字号十四，行距一点五倍。
把 README 里的安装步骤改成用 cargo install，别再提 Docker 了。
小张负责前端，老李负责数据库，出了事找我。
繁體字也應該可以處理，例如臺灣、龍鳳、憂鬱。
春眠不觉晓，处处闻啼鸟。
明天下午三点在三号楼201开会，记得带上U盘。
我对海鲜过敏，尤其是虾和蟹，吃了会起疹子。
孩子们放暑假了，八月初打算去青岛看海。
服务器迁到新机房后，平均延迟从八十毫秒降到了二十三毫秒。
这本书我读了三遍，每次都有新的体会。
房租每月五千二，押一付三，合同签到明年九月。
""".strip().split("\n")

ODD = [
    "", " ", "   ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\u200b", "\ufeff", "a", "A", "1", ".", "?", "。", "？", "的", "龘", "𠮷", "𪚥𪚥",
    " leading", "trailing ", "  both  ", "many     spaces   between", "tab\tand\nnewline\r\nand\u00a0nbsp", "\u3000全角空格\u3000在两端\u3000",
    "Ｈｅｌｌｏ　Ｗｏｒｌｄ　１２３！", "ﬁne ﬂow oﬃce", "½ ⅓ ² ³ № ℃ ㎏ ㍿ ① ⑳ Ⅷ", "™ © ® ℠", "ｶﾀｶﾅ ﾊﾝｶｸ", "ﷺ", "ǅ ǆ Ĳ ĳ ŉ",
    "café naïve Ünïcödé", "cafe\u0301 nai\u0308ve", "a\u0300\u0301\u0302\u0303\u0304", "\u0301 starts with a mark", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘",
    "ñ Ñ ß ẞ æ Æ ø Ø å Å þ ð đ ł ő ű ğ ş ı İ", "Việt Nam, tiếng Việt", "¨ ´ ¸ ¯ ˘", "a¨b", " ¨ ", "ʰ ʲ ˢ ᵃ ᵦ",
    "😀", "😀😀😀", "👩‍👩‍👧‍👦 family", "👍🏽 thumbs", "🏳️‍🌈 flag", "🇨🇳🇬🇧", "❤️ ❤ ☎️ ☎", "1️⃣2️⃣", "🤷‍♀️", "ok👌ok", "中👌文",
    "שלום עולם", "مرحبا بالعالم", "اَلْعَرَبِيَّةُ", "אבג abc 中文", "\u202eright to left\u202c", "\u200fmarks\u200e", "فارسی\u200cنیم‌فاصله",
    "こんにちは世界", "カタカナとひらがな", "東京タワーに行きました", "ヴァイオリン", "ゝゞヽヾー", "안녕하세요 세계", "한국어 문장입니다", "각",
    "Привет, мир", "ПРИВЕТ", "Καλημέρα κόσμε", "हिन्दी में", "ภาษาไทย", "தமிழ்", "ქართული", "Հայերեն", "አማርኛ", "ᚠᚢᚦᚨᚱᚲ", "𐍈", "𓀀𓂀",
    "\x00", "a\x00b", "\x01\x02\x1f\x7f", "bell\x07 back\x08 esc\x1b[31m", "soft\u00adhyphen", "zero\u200bwidth\u200cnon\u200djoiner", "word\u2060joiner",
    "line\u2028sep\u2029para", "\ufffd replacement \ufffd", "\ufffe", "\U0010ffff", "\ue000private", "\U000e0001tag",
    "<s>", "</s>", "<unk>", "<pad>", "<s> hi </s>", "a</s>b", "<mask>", "▁", "▁▁", "▁a▁b▁", "a▁", "query: query: x", "passage: x", ":", "::",
    "w" * 300, "x" * 1000, "ha" * 200, "啊" * 300, "supercalifragilisticexpialidocious" * 5, "ab1" * 150, "。" * 50, "." * 100, "-" * 80, "=" * 33,
    "!?!?!?", "...", "…", "——", "--", "《书名》", "「引号」『里』", "“smart” ‘quotes’ \"plain\" 'too'", "«guillemets»", "(括号（混用）)", "[1, 2, 3]",
    "{\"key\": [1, 2.5, null, true]}", "<div class=\"x\">&amp;&nbsp;</div>", "$x^2 + y^2 = r^2$", "∑∫√∞≠≤≥±×÷", "→←↑↓⇒⇔", "αβγδ µm Ω", "½cup",
    "C:\\Users\\me\\file.txt", "/usr/local/bin", "a_b_c-d.e/f", "snake_case camelCase PascalCase kebab-case SCREAMING_CASE", "x=1;y=2;z=x+y",
    "1234567890", "3.14159265358979", "1,000,000", "１，０００", "1e-12", "0xDEADBEEF", "2026-11-30T23:59:59Z", "12:34", "+86 138-0000-0000", "50%", "#1", "№5",
    "ALL CAPS TEXT HERE", "mIxEd CaSe", "中英mixed混合text文本", "我用Rust写了一个crate", "iPhone15Pro支持5G吗", "C++和C#的区别", "微信WeChat", "Q3的KPI",
    "二〇二六年", "壹贰叁肆伍", "㊗️ ㊙️", "囍", "〇", "々", "〆", "㐀㐁", "豈更車", "⺀⻳", "⼀⼁", "ㄅㄆㄇ", "ㄱㄴㄷ",
    "don't can't I'm you're it's", "rock'n'roll", "e-mail co-op", "U.S.A. Ph.D. etc.", "Mr.Smith", "end.Start", "so,many,commas", "a/b", "and/or",
    "\u0e33", "\u0344", "\u212b \u2126", "\u1e9b\u0323", "\u2011 non-breaking hyphen", "\u2160\u2170", "\uff5e\uff0d", "\u301c", "\u02bc", "\u0149",
]

FRAGMENTS = [
    "the meeting", "moved to", "Friday", "because", "Anna", "can't", "reach", "数据库", "昨天", "已经", "修好了", "，", "。", ", ", ". ", " ", "  ", "！", "?", "用户",
    "喜欢", "coffee", "black", "不加糖", "版本", "v2.0", "😀", "👩‍🚀", "ＡＢＣ", "１２", "é", "e\u0301", "\u200b", "\u3000", "\t", "안녕", "ですか", "мир", "שלום", "<unk>", "▁",
    "http://", "foo_bar", "()", "99%", "¥", "—", "“", "”", "𠮷", "\x01", "ﬁ", "㎏", "Ⅳ", "qzxv", "ing", "un", "的", "了", "是", "tion", "Ω", "ß", "ı",
]


def vector_texts() -> list[str]:
    """Texts whose vector is compared too: sentences, a few odd ones, and some longer ones."""
    odd = ["", "😀😀😀", "こんにちは世界", "안녕하세요 세계", "café naïve Ünïcödé", "Ｈｅｌｌｏ　Ｗｏｒｌｄ　１２３！", "w" * 300, "{\"key\": [1, 2.5, null, true]}"]
    english, chinese = SENTENCES[:30], SENTENCES[30:]
    long = [" ".join(english[:6]), "".join(chinese[:8]), " ".join(english[6:22]), "".join(chinese[8:30]), " ".join(a + b for a, b in zip(english[:12], chinese[20:]))]
    return SENTENCES + odd + long


def token_texts() -> list[str]:
    """Texts whose token ids are compared: the sentences, everything odd, and 400 mixtures."""
    chance = random.Random(20261130)
    mixtures = ["".join(chance.choices(FRAGMENTS, k=chance.randint(2, 14))) for _ in range(400)]
    return SENTENCES + ODD + mixtures
