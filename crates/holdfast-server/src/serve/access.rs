//! Who asks, and whose memory they may ask about. Every route begins here; what it gets is an owner that the caller's key covers.

use std::net::IpAddr;

use axum::body::Body;
use axum::extract::{FromRequestParts, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use holdfast::types::scope::{Owner, Scope, ScopeId, TaskId};
use serde::Deserialize;
use utoipa::IntoParams;

use super::app::App;
use super::body::Held;
use super::problem::Problem;
use crate::keys::{ApiKey, Denied, Role};

/// The name that requests without a key are counted under.
const NOBODY: &str = "";

/// Who asks. Without keys, on loopback: whoever sits at this machine, and may do all.
#[derive(Debug, Clone)]
pub struct Caller {
    key: Option<ApiKey>,
}

impl Caller {
    fn role(&self) -> Role {
        self.key.as_ref().map_or(Role::Operator, |key| key.role)
    }

    /// `None`: any.
    pub fn tenant(&self) -> Option<&ScopeId> {
        self.key.as_ref().map(|key| &key.tenant)
    }

    /// The key opens the memory of one user only.
    pub fn is_of_one_user(&self) -> bool {
        self.key.as_ref().is_some_and(|key| key.user.is_some())
    }

    pub fn covers(&self, owner: &Owner) -> bool {
        self.key.as_ref().is_none_or(|key| key.covers(owner))
    }

    /// Refused unless the role is at least this.
    pub fn must_be(&self, role: Role) -> Result<(), Problem> {
        if self.role() >= role {
            return Ok(());
        }
        let detail =
            format!("this needs a key of the role {}; this one is of the role {}", role.as_str(), self.role().as_str());
        Err(Problem::new(StatusCode::FORBIDDEN, "role_too_low", detail))
    }

    /// The owner that was named, with what the key is bound to where nothing was.
    pub fn owner(
        &self,
        tenant: Option<ScopeId>,
        user: Option<ScopeId>,
        agent: Option<ScopeId>,
    ) -> Result<Owner, Problem> {
        let key = self.key.as_ref();
        let owner = Owner {
            tenant: tenant.or_else(|| key.map(|key| key.tenant.clone())).unwrap_or_default(),
            user: user.or_else(|| key.and_then(|key| key.user.clone())).unwrap_or_default(),
            agent: agent.or_else(|| key.and_then(|key| key.agent.clone())).unwrap_or_default(),
        };
        if self.covers(&owner) {
            return Ok(owner);
        }
        // Of another tenant or user: not even whether it is there is said.
        Err(Problem::new(
            StatusCode::FORBIDDEN,
            "out_of_reach",
            "this API key does not open the memory of the tenant, user or agent that was named",
        ))
    }
}

/// Lets in whoever has a key that opens something, or anybody if there are no keys and only this machine is served.
pub async fn let_in(State(app): State<App>, request: Request, next: Next) -> Result<Response, Problem> {
    let missing = "an API key is needed: send it as `Authorization: Bearer KEY`; `holdfast key create` makes one";
    let presented = bearer(request.headers())?;
    let caller = caller(&app, request.headers(), presented, missing)?;
    admit(&app, caller, request, next).await
}

/// The key in `Authorization`.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let unreadable =
        || Problem::new(StatusCode::UNAUTHORIZED, "key_unknown", "the Authorization header is not `Bearer KEY`");
    let (scheme, key) = value.to_str().ok().and_then(|value| value.split_once(' ')).ok_or_else(unreadable)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(unreadable());
    }
    Ok(Some(key))
}

/// Who presents this key. `missing`: what to do, for who presents none and needs one.
pub fn caller(app: &App, headers: &HeaderMap, presented: Option<&str>, missing: &str) -> Result<Caller, Problem> {
    let Some(presented) = presented else {
        return match app.is_open() {
            true => local(app, headers),
            false => Err(Problem::new(StatusCode::UNAUTHORIZED, "key_missing", missing)),
        };
    };
    match app.key(presented) {
        Ok(key) => Ok(Caller { key: Some(key) }),
        // Some clients can't leave the header out.
        Err(_) if app.is_open() => local(app, headers),
        Err(denied) => {
            let code = match denied {
                Denied::Unknown => "key_unknown",
                Denied::Expired => "key_expired",
                Denied::Revoked => "key_revoked",
            };
            Err(Problem::new(StatusCode::UNAUTHORIZED, code, denied.to_string()))
        }
    }
}

/// Lets the request go on in its caller's name, if there is room for it.
pub async fn admit(app: &App, caller: Caller, mut request: Request, next: Next) -> Result<Response, Problem> {
    let admitted = app.admit(caller.key.as_ref().map_or(NOBODY, |key| &key.id))?;
    request.extensions_mut().insert(caller);
    // Held until the last byte of the answer has gone: a stream is under way for as long.
    Ok(next.run(request).await.map(|body| Body::new(Held::new(body, admitted))))
}

/// Whoever sits at this machine, and no page of the web that their browser was led to show: it would send its origin, or, under a name of
/// its own that was pointed at this machine, that name.
fn local(app: &App, headers: &HeaderMap) -> Result<Caller, Problem> {
    let refused = |detail: &str| Err(Problem::new(StatusCode::FORBIDDEN, "not_local", detail));
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host
        .rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(host, |(name, _)| name);
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    if !name.eq_ignore_ascii_case("localhost") && !address.is_ok_and(|address| address.is_loopback()) {
        return refused(
            "without API keys this server is asked as localhost or 127.0.0.1 only: `holdfast key create` makes a key",
        );
    }
    match headers.get(header::ORIGIN) {
        Some(origin) if !app.is_allowed_origin(origin) && origin.as_bytes() != format!("http://{host}").as_bytes() => {
            refused("pages of this origin may not ask: `holdfast serve --allow-origin` lets them")
        }
        _ => Ok(Caller { key: None }),
    }
}

/// Notes the scope that was named, for a service that is no handler.
pub async fn note_access(access: Access, mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(access);
    next.run(request).await
}

/// Whose memory a request is about, and where in their work: in the query of every route.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ScopeParameters {
    /// The organisation; the key's, unless there are no keys.
    #[param(value_type = Option<String>, min_length = 1, max_length = 512, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$")]
    pub tenant: Option<ScopeId>,
    /// Whose memory it is [default: default, or the key's].
    #[param(value_type = Option<String>, min_length = 1, max_length = 512, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$")]
    pub user: Option<ScopeId>,
    /// The agent whose memory it is [default: default, or the key's].
    #[param(value_type = Option<String>, min_length = 1, max_length = 512, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$")]
    pub agent: Option<ScopeId>,
    /// The conversation; each has a task it is on [default: default].
    #[param(value_type = Option<String>, min_length = 1, max_length = 512, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$")]
    pub session: Option<ScopeId>,
    /// The task, where it is not to be told from the session or the words.
    #[param(value_type = Option<String>, min_length = 1, max_length = 512, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$")]
    pub task: Option<TaskId>,
}

/// A caller, and the scope they named, which their key covers.
#[derive(Debug, Clone)]
pub struct Access {
    pub caller: Caller,
    pub scope: Scope,
    /// A session was named, and not only the default meant.
    pub names_session: bool,
    pub names_user: bool,
    pub names_agent: bool,
}

impl Access {
    pub fn owner(&self) -> Owner {
        self.scope.owner.clone()
    }
}

impl FromRequestParts<App> for Access {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let caller = parts.extensions.get::<Caller>().cloned();
        let caller =
            caller.ok_or_else(|| Problem::new(StatusCode::UNAUTHORIZED, "key_missing", "an API key is needed"))?;
        let query = Query::<ScopeParameters>::try_from_uri(&parts.uri);
        let Query(named) =
            query.map_err(|error| Problem::bad_request(format!("the query of the URL: {}", error.body_text())))?;
        let (names_user, names_agent) = (named.user.is_some(), named.agent.is_some());
        let owner = caller.owner(named.tenant, named.user, named.agent)?;
        let scope = Scope { owner, session: named.session.clone().unwrap_or_default(), task: named.task };
        Ok(Self { caller, scope, names_session: named.session.is_some(), names_user, names_agent })
    }
}
