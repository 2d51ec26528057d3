//! The service behind the proxy: a request goes on to it as it came, and its answer comes back as it is, piece by piece.

use std::time::Duration;

use anyhow::{Context, Result};
use axum::body::{Body, Bytes};
use axum::http::response::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use http_body_util::BodyExt;
use reqwest::{Client, Url};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use zeroize::Zeroizing;

use crate::failure::Usage;
use crate::serve::{Problem, Untouched};

/// Until there is a connection. How long an answer takes is between the client and the service.
const CONNECT: Duration = Duration::from_secs(10);
/// Pieces of an answer that wait for the client.
const PIECES_WAITING: usize = 16;
/// Of an answer, what is kept to be remembered. A longer one comes back with the client's next request.
const KEPT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// What the service calls a request, for its support. `X-Request-Id` is ours.
const UPSTREAM_ID: HeaderName = HeaderName::from_static("x-upstream-request-id");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Of one connection, or about bytes that are sent anew (RFC 9110, 7.6.1). A compressed answer could not be read on its way.
const OF_ONE_HOP: [HeaderName; 11] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::HOST,
    header::CONTENT_LENGTH,
    header::ACCEPT_ENCODING,
];
/// Ours, and nobody else's business.
const OURS: &str = "holdfast-";

#[derive(Debug)]
pub struct Upstream {
    client: Client,
    base: Url,
    /// Sent instead of the client's key.
    key: Option<Zeroizing<String>>,
}

impl Upstream {
    pub fn new(base: &str, key: Option<Zeroizing<String>>) -> Result<Self> {
        let refused = |why: &str| Usage(format!("--upstream: {why}; it looks like https://api.openai.com/v1"));
        let url = Url::parse(base).map_err(|error| refused(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.cannot_be_a_base() {
            return Err(refused("it is no address of HTTP").into());
        }
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
            return Err(
                refused("it has more than a host and a path in it; a key goes into HOLDFAST_UPSTREAM_KEY").into()
            );
        }
        // An error: another part of the process chose one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .connect_timeout(CONNECT)
            .redirect(reqwest::redirect::Policy::none())
            .tcp_nodelay(true)
            .build()
            .context("can't prepare for calls of the service behind the proxy")?;
        Ok(Self { client, base: url, key })
    }

    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Asks the service. `path`: below its base.
    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        query: Option<&str>,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Response<reqwest::Body>, Problem> {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        url.set_query(query);
        let mut sent = passed_on(headers);
        if let Some(key) = &self.key {
            let value = HeaderValue::from_str(&format!("Bearer {}", key.as_str()));
            let mut value = value.map_err(|_| {
                Problem::new(StatusCode::BAD_GATEWAY, "upstream_key", "HOLDFAST_UPSTREAM_KEY is no key")
            })?;
            value.set_sensitive(true);
            sent.insert(header::AUTHORIZATION, value);
        }
        let asked = self.client.request(method, url).headers(sent).body(body).send().await;
        asked.map(Response::from).map_err(|error| {
            // Without its address: a client that may not know it need not.
            let why = if error.is_timeout() || error.is_connect() { "can't be reached" } else { "broke off" };
            tracing::warn!("the service behind the proxy {why}: {}", error.without_url());
            Problem::new(
                StatusCode::BAD_GATEWAY,
                "upstream_failed",
                format!("the service behind the proxy {why}: try again, or check --upstream"),
            )
        })
    }
}

fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let is_passed = |name: &HeaderName| !OF_ONE_HOP.contains(name) && !name.as_str().starts_with(OURS);
    headers.iter().filter(|(name, _)| is_passed(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The head of the answer, for the client.
pub fn head(answer: &Parts) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = answer.status;
    let mut headers = passed_on(&answer.headers);
    // Which pages may ask is for us to say.
    let is_of_pages = |name: &HeaderName| name.as_str().starts_with("access-control-");
    for name in answer.headers.keys().filter(|name| is_of_pages(name)) {
        headers.remove(name);
    }
    if let Some(id) = headers.remove(&REQUEST_ID) {
        headers.insert(UPSTREAM_ID, id);
    }
    *response.headers_mut() = headers;
    response.extensions_mut().insert(Untouched);
    response
}

/// What came, once it is all there: the bytes, and whether they are whole.
pub struct Heard {
    pub bytes: Vec<u8>,
    pub is_whole: bool,
}

/// Lets an answer through, each piece as it comes, and hands over what it was. `is_last` is asked after each piece whether the reply is
/// complete with it: then `hear` is called before the client has that piece, and what it waits for is done before the client can go on.
pub fn listen<F, H>(mut answer: reqwest::Body, is_last: impl Fn(&[u8]) -> bool + Send + 'static, hear: H) -> Body
where
    F: Future<Output = ()> + Send,
    H: FnOnce(Heard) -> F + Send + 'static,
{
    let (sender, receiver) = mpsc::channel::<Result<Bytes, reqwest::Error>>(PIECES_WAITING);
    tokio::spawn(async move {
        let mut kept = Vec::new();
        let mut is_kept = true;
        let mut hear = Some(hear);
        let is_whole = loop {
            let frame = tokio::select! {
                frame = answer.frame() => frame,
                () = sender.closed() => break false,
            };
            let piece = match frame {
                None => break true,
                Some(Err(error)) => {
                    // The client must not take it for whole.
                    let _ = sender.send(Err(error)).await;
                    break false;
                }
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(piece) => piece,
                    Err(_) => continue,
                },
            };
            is_kept &= kept.len() + piece.len() <= KEPT_BYTES_MAX;
            if is_kept {
                kept.extend_from_slice(&piece);
                if is_last(&kept)
                    && let Some(hear) = hear.take()
                {
                    hear(Heard { bytes: std::mem::take(&mut kept), is_whole: true }).await;
                }
            }
            if sender.send(Ok(piece)).await.is_err() {
                break false;
            }
        };
        // Nothing more is asked of the service for a client that went away.
        drop(answer);
        if let Some(hear) = hear.filter(|_| is_kept) {
            hear(Heard { bytes: kept, is_whole }).await;
        }
    });
    Body::from_stream(ReceiverStream::new(receiver))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_that_is_none_is_refused_without_repeating_what_may_be_a_key() {
        for base in
            ["", "api.openai.com", "ftp://host/v1", "https://user:geheim-1@host/v1", "https://host/v1?key=geheim-1"]
        {
            let error = Upstream::new(base, None).unwrap_err().to_string();
            assert!(error.contains("--upstream") && !error.contains("geheim"), "{error}");
        }
        for base in ["https://api.openai.com/v1", "http://127.0.0.1:8080", "http://内网:8000/v1/"] {
            Upstream::new(base, None).unwrap();
        }
    }

    #[test]
    fn what_is_of_one_hop_or_ours_stays_here() {
        let given = [
            ("host", "localhost"),
            ("content-length", "3"),
            ("accept-encoding", "gzip"),
            ("connection", "keep-alive"),
            ("holdfast-key", "hf_1_2"),
            ("holdfast-user", "lin"),
            ("authorization", "Bearer sk"),
            ("openai-organization", "org"),
            ("x-stainless-lang", "python"),
        ];
        let headers: HeaderMap = given
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        let passed: Vec<String> = passed_on(&headers).keys().map(ToString::to_string).collect();
        assert_eq!(passed, ["authorization", "openai-organization", "x-stainless-lang"]);
    }
}
