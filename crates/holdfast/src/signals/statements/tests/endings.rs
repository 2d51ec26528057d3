//! What is over, what is denied, and what was never said.

use super::check;

#[test]
fn what_was_so_and_is_over() {
    check(&[
        ("I'm not a vegetarian any more", "over diet=vegetarian"),
        ("I'm not a vegetarian anymore.", "over diet=vegetarian"),
        ("I'm no longer vegan", "over diet=vegan"),
        ("I am not vegan any longer", "over diet=vegan"),
        ("I'm not a nurse anymore", "over job=nurse"),
        ("I'm not allergic to nuts any more", "over allergic=nuts"),
        ("I no longer live in Lima", "over live=Lima"),
        ("I don't live in Lima anymore", "over live=Lima"),
        ("I don't work at Acme any more", "over work=Acme"),
        ("I don't prefer aisle seats anymore", "no longer aisle seats"),
        ("I no longer prefer tabs over spaces", "no longer tabs over spaces"),
        ("I no longer drink coffee", "no longer drink coffee"),
        ("I don't eat meat anymore", "no longer eat meat"),
        ("I don't hate mornings anymore", "again mornings"),
        ("My sister isn't a vegetarian anymore", ""),
        ("My sister is no longer a vegetarian", "My sister: over diet=vegetarian"),
        ("我不吃素了", "over 饮食=吃素"),
        ("我已经不吃素了", "over 饮食=吃素"),
        ("我早就不吃素了", "over 饮食=吃素"),
        ("我不再吃素", "over 饮食=吃素"),
        ("我现在不吃素了", "over 饮食=吃素"),
        ("我现在不喜欢喝美式了", "no longer 喝美式"),
        ("我不爱喝咖啡了", "no longer 咖啡"),
        ("我不再喜欢喝茶", "no longer 喝茶"),
        ("我不讨厌香菜了", "again 香菜"),
        ("我现在不讨厌开会了", "again 开会"),
        ("我对花生不过敏了", "over 过敏=花生"),
        ("我不住在余杭了", "over 住=余杭"),
        ("我不在字节了", "over 上班=字节"),
        ("我从腾讯离职了", "over 上班=腾讯"),
        ("我妹妹不吃素了", "我妹妹: over 饮食=吃素"),
        // Asked, supposed, planned, told by or of others, or of this once.
        ("Am I not a vegetarian anymore?", ""),
        ("If I'm not a vegetarian anymore, what can I order?", ""),
        ("He's not a vegetarian anymore", ""),
        ("She said I'm not a vegetarian anymore", ""),
        ("I might not be a vegetarian anymore", ""),
        ("I no longer drink", ""),
        ("I don't prefer this anymore", ""),
        ("I'm not sure anymore", ""),
        ("I'm not hungry any more", ""),
        ("You no longer drink coffee, right?", ""),
        ("我不吃素了吗", ""),
        ("我是不是不吃素了？", ""),
        ("如果我不吃素了，点什么好", ""),
        ("他不吃素了", ""),
        ("小王现在不喜欢喝美式了", ""),
        ("我打算明年不吃素了", ""),
        ("我今天不喝咖啡了", ""),
        ("我不喜欢这个了", ""),
        ("我不讨厌香菜", ""),
        ("我吃不了了", ""),
    ]);
}

#[test]
fn what_is_only_denied() {
    check(&[
        ("I'm not a vegetarian", "not diet=vegetarian"),
        ("I'm not allergic to nuts", "not allergic=nuts"),
        ("I don't live in Lima", "not live=Lima"),
        ("我不吃素", "not 饮食=吃素"),
        ("我对牛奶不过敏", "not 过敏=牛奶"),
        ("我不住在余杭", "not 住=余杭"),
        ("I'm not a doctor", ""),
        ("I'm not vegetarian-friendly", ""),
        ("我不是吃素的，别惹我", ""),
    ]);
}

#[test]
fn what_was_never_said() {
    check(&[
        ("I never said I like jazz", "forget I like jazz"),
        ("I never said that I liked jazz.", "forget I like jazz"),
        ("I didn't say I was allergic to nuts", "forget I'm allergic to nuts"),
        ("I never said I lived in Lima", "forget I live in lima"),
        ("我没说过喜欢爵士乐", "forget 我喜欢爵士乐"),
        ("我从来没说过我喜欢加班", "forget 我喜欢加班"),
        ("我没说过不喜欢香菜", "forget 我不喜欢香菜"),
        ("我没有说过住在余杭", "forget 我住在余杭"),
        // Of nothing of oneself, asked, or by somebody else.
        ("I never said that", ""),
        ("I never said I like this", ""),
        ("I never said she likes jazz", ""),
        ("Did I never say I like jazz?", ""),
        ("He never said I like jazz", ""),
        ("If I never said I like jazz, why do you think so?", ""),
        ("For the record, I never said that", ""),
        ("我没说过这话", ""),
        ("我没说过喜欢这个", ""),
        ("我没说过他喜欢加班", ""),
        ("我没说过喜欢爵士乐吗？", ""),
        ("他没说过喜欢爵士乐", ""),
        ("我没说过要加班", ""),
    ]);
}
