//! Secrets that were taken out: sealed on the way in, if the operator gave a key, and shown to an operator who says why.

use std::borrow::Cow;

use serde_json::json;
use zeroize::Zeroizing;

use super::{Engine, Error};
use crate::redact::{self, Rules, Taken};
use crate::types::change::{ChangeSet, SealedSecret};
use crate::types::operation::{Target, Verb};
use crate::types::scope::Owner;

impl Engine {
    /// What redaction goes by for this owner.
    pub(super) fn rules_of(&self, owner: &Owner) -> Cow<'_, Rules> {
        self.redaction.for_owner(owner)
    }

    /// A text as an event of this owner would keep it: every secret in it is a placeholder.
    pub fn without_secrets(&self, owner: &Owner, text: &str) -> String {
        redact::redact_text(text, &self.rules_of(owner))
    }

    /// What was taken out, as it is kept: not at all without a key.
    pub(super) fn sealed(&self, owner: &Owner, taken: &[Taken]) -> Vec<SealedSecret> {
        if taken.is_empty() {
            return Vec::new();
        }
        let rules = self.rules_of(owner);
        let Some(key) = rules.key() else { return Vec::new() };
        taken.iter().map(|taken| taken.sealed(key, owner, self.env.nonce())).collect()
    }

    /// What stood where a placeholder stands. The journal is told first: which, to whom and why, never what.
    pub fn reveal(&self, owner: &Owner, placeholder: &str, who: &str, why: &str) -> Result<Zeroizing<String>, Error> {
        let placeholder = placeholder.trim().trim_matches(['«', '»']);
        let rules = self.rules_of(owner);
        let key = rules.key().ok_or(Error::NoRedactionKey)?;
        // It is repeated in messages and in the journal, and may be a secret given by mistake.
        let shown = || redact::redact_text(&format!("«{placeholder}»"), &rules);
        let sealed = self.store.sealed_secret(owner, placeholder)?.ok_or_else(|| Error::NoSuchSecret(shown()))?;
        let secret = redact::open(key, owner, placeholder, &sealed).map_err(|_| Error::OtherRedactionKey(shown()))?;
        let [who, why] = [who, why].map(|text| redact::redact_text(text, &rules));
        let mut operation = self.operation(owner, Verb::Reveal, Target::Store, &who, why);
        operation.after = Some(json!({ "placeholder": placeholder }));
        self.store.commit(ChangeSet { owner: owner.clone(), operations: vec![operation], ..ChangeSet::default() })?;
        Ok(secret)
    }
}
