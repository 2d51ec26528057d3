//! Made-up events for measuring speed: everyday sentences in Chinese and English, the same for the same seed.
//!
//! Words are drawn by Zipf's law from lists that are themselves made of common syllables, so that common and rare words are as
//! uneven as in real talk; nothing of a data set is in them.

/// A small generator of numbers (SplitMix64, Steele et al. 2014): the same seed, the same texts, on every machine.
#[derive(Debug, Clone)]
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In `0..limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// In `0.0..1.0`.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A rank in `0..limit` by Zipf's law with exponent 1: the inverse of its continuous form.
    pub fn zipf(&mut self, limit: usize) -> usize {
        let rank = ((limit as f64 + 1.0).powf(self.share()) - 1.0).floor() as usize;
        rank.min(limit - 1)
    }
}

const ZH_CHARACTERS: &str = "天地人你我他们在有不是了大小上下来去出入工作学习会议项目数据报告客户合同产品设计开发测试上线\
    部署邮件电话时间地点计划进度问题方案结果预算费用价格销售退货仓库订单物流城市公司部门团队经理同事朋友家里孩子老师学校医院\
    早晚春夏秋冬吃饭喝茶咖啡跑步游泳音乐电影旅行车票酒店机场北京上海杭州成都广州深圳红黄蓝绿黑白新旧长短高低多少快慢";

const EN_SYLLABLES: &[&str] = &[
    "re", "port", "ser", "vice", "mi", "gra", "tion", "cus", "to", "mer", "plan", "ning", "bud", "get", "mar", "ket",
    "de", "sign", "test", "ing", "lo", "cal", "net", "work", "da", "ta", "ba", "se", "in", "ter", "face", "pro",
    "ject", "man", "age", "ment", "ac", "count", "pay", "ship", "or", "der", "con", "tract", "sum", "ma", "ry", "week",
    "ly", "meet", "note",
];

/// Words in each language's list.
const WORDS: usize = 20_000;

/// Draws texts of 60 to 240 characters.
#[derive(Debug)]
pub struct Texts {
    chance: Chance,
    zh: Vec<String>,
    en: Vec<String>,
}

impl Texts {
    pub fn new(seed: u64) -> Self {
        // The words are the same for every seed: a seed is another talk, not another language.
        let mut chance = Chance::new(1);
        let characters: Vec<char> = ZH_CHARACTERS.chars().filter(|c| !c.is_whitespace()).collect();
        let zh = (0..WORDS)
            .map(|_| (0..1 + chance.below(3)).map(|_| characters[chance.below(characters.len())]).collect())
            .collect();
        let en = (0..WORDS)
            .map(|_| (0..1 + chance.below(4)).map(|_| EN_SYLLABLES[chance.below(EN_SYLLABLES.len())]).collect())
            .collect();
        Self { chance: Chance::new(seed), zh, en }
    }

    pub fn text(&mut self) -> String {
        let chinese = self.chance.below(2) == 0;
        let length = 60 + self.chance.below(180);
        let mut text = String::new();
        let mut in_sentence = 0;
        while text.chars().count() < length {
            in_sentence += 1;
            match (chinese, self.chance.below(24)) {
                (_, 0) => text.push_str(&format!("{}", 1 + self.chance.below(9_999))),
                (true, 1) => text.push_str(&self.en[self.chance.zipf(WORDS)]),
                (true, _) => text.push_str(&self.zh[self.chance.zipf(WORDS)]),
                (false, _) => text.push_str(&self.en[self.chance.zipf(WORDS)]),
            }
            if in_sentence > 6 && self.chance.below(6) == 0 {
                text.push_str(if chinese { "。" } else { ". " });
                in_sentence = 0;
            } else if !chinese {
                text.push(' ');
            }
        }
        text
    }

    /// A question of three to six words, some of them rare.
    pub fn question(&mut self) -> String {
        let chinese = self.chance.below(2) == 0;
        let words = if chinese { &self.zh } else { &self.en };
        let count = 3 + self.chance.below(4);
        let picked: Vec<&str> = (0..count).map(|_| words[self.chance.zipf(WORDS)].as_str()).collect();
        picked.join(if chinese { "" } else { " " })
    }
}

#[cfg(test)]
mod tests {
    use super::Texts;

    #[test]
    fn the_same_seed_says_the_same() {
        let (mut a, mut b) = (Texts::new(3), Texts::new(3));
        for _ in 0..20 {
            let text = a.text();
            assert_eq!(text, b.text());
            assert!((60..=260).contains(&text.chars().count()), "{text}");
        }
        assert_ne!(Texts::new(3).text(), Texts::new(4).text());
    }
}
