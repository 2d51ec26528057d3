//! Bodies, in and out: JSON that says where it is wrong, streams of lines, and a body that keeps something until its last byte has gone.

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

use super::app::App;
use super::problem::Problem;

/// Pieces of a stream that wait for their reader: enough to keep both sides busy, and no more than a few hundred kilobytes.
const PIECES_WAITING: usize = 16;
/// Bytes written together: a piece for each line would cost more than the line.
const PIECE_BYTES: usize = 16 * 1024;

/// A request's JSON. A fault in it is named with its field.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned> FromRequest<App> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        refuse_encoded(&request)?;
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
            let detail = "the body is expected as JSON: send `Content-Type: application/json`";
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", detail));
        }
        let bytes = whole(request.into_body(), app.limits().body_bytes).await?;
        read(&bytes).map(Self)
    }
}

/// A stream of lines that has none was forgotten rather than meant.
pub fn refuse_empty(request: &Request) -> Result<(), Problem> {
    if request.body().is_end_stream() {
        return Err(Problem::bad_request("there is no body: send lines of JSON"));
    }
    Ok(())
}

/// A JSON object read, or the field at fault and why.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    // A list would be taken for the fields in their order.
    if bytes.trim_ascii_start().starts_with(b"[") && is_json(bytes) {
        return Err(Problem::body_refused("the body is a list: a JSON object is expected"));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let fault = error.into_inner();
        // What is no word where a word is expected is told as a fault of the JSON.
        if !fault.is_data() && !is_json(bytes) {
            return Problem::bad_request(format!("the body is not JSON: {fault}"));
        }
        let place = if path == "." { String::new() } else { format!("{path}: ") };
        Problem::body_refused(format!("{place}{fault}")).with("field", path)
    })?;
    deserializer
        .end()
        .map_err(|fault| Problem::bad_request(format!("something follows the JSON of the body: {fault}")))?;
    Ok(value)
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

/// A body that was compressed is not taken: what it unfolds to has no bound.
pub fn refuse_encoded(request: &Request) -> Result<(), Problem> {
    match request.headers().get(header::CONTENT_ENCODING) {
        Some(encoding) if encoding.as_bytes() != b"identity" => {
            let detail = "a compressed body is not accepted: send it as it is";
            Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "body_encoded", detail))
        }
        _ => Ok(()),
    }
}

pub async fn whole(body: Body, limit: usize) -> Result<Bytes, Problem> {
    axum::body::to_bytes(body, limit).await.map_err(|error| {
        if std::error::Error::source(&error).is_some_and(|cause| cause.is::<http_body_util::LengthLimitError>()) {
            let detail = format!("the body is longer than {limit} bytes: send less at once");
            return Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_long", detail);
        }
        Problem::bad_request("the body ended before it was whole")
    })
}

/// A body that is read by a thread that may wait.
#[derive(Debug)]
pub struct Incoming {
    pieces: mpsc::Receiver<io::Result<Bytes>>,
    piece: Bytes,
    /// Bytes that came and were not read.
    arrived: Arc<AtomicUsize>,
}

/// See `Incoming::watch`.
#[derive(Debug)]
pub struct Watch(Arc<AtomicUsize>);

impl Watch {
    pub fn is_waiting(&self) -> bool {
        self.0.load(Ordering::Acquire) == 0
    }
}

impl Incoming {
    /// Begins to read the body. Must be called within the runtime.
    pub fn of(body: Body) -> Self {
        let (sender, pieces) = mpsc::channel(PIECES_WAITING);
        let arrived = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&arrived);
        tokio::spawn(async move {
            let mut data = body.into_data_stream();
            while let Some(piece) = data.next().await {
                counted.fetch_add(piece.as_ref().map_or(1, Bytes::len), Ordering::AcqRel);
                if sender.send(piece.map_err(io::Error::other)).await.is_err() {
                    break;
                }
            }
        });
        Self { pieces, piece: Bytes::new(), arrived }
    }

    /// To ask, from where the body itself has been given away, whether reading on would wait for the client.
    pub fn watch(&self) -> Watch {
        Watch(Arc::clone(&self.arrived))
    }
}

impl Read for Incoming {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.pieces.blocking_recv() {
                Some(piece) => self.piece = piece?,
                None => return Ok(0),
            }
        }
        // A line at a time, so that what was read on ahead is never more than what is answered next.
        let line = self.piece.iter().position(|byte| *byte == b'\n').map_or(self.piece.len(), |end| end + 1);
        let count = buffer.len().min(line);
        buffer[..count].copy_from_slice(&self.piece.split_to(count));
        self.arrived.fetch_sub(count, Ordering::AcqRel);
        Ok(count)
    }
}

/// A body that is written by a thread that may wait. Whoever went away is an error at the next piece.
#[derive(Debug)]
pub struct Outgoing {
    pieces: mpsc::Sender<io::Result<Bytes>>,
    waiting: Vec<u8>,
}

impl Outgoing {
    /// The writer, and the body that its bytes come out of.
    pub fn new() -> (Self, Body) {
        let (pieces, received) = mpsc::channel(PIECES_WAITING);
        (Self { pieces, waiting: Vec::with_capacity(PIECE_BYTES) }, Body::from_stream(ReceiverStream::new(received)))
    }

    /// The body ends in an error, so that nobody takes it for whole.
    pub fn fail(self, error: io::Error) {
        // A reader that has gone needs no error.
        let _ = self.pieces.blocking_send(Err(error));
    }
}

impl Write for Outgoing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PIECE_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let piece = Bytes::from(std::mem::take(&mut self.waiting));
        self.pieces.blocking_send(Ok(piece)).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
    }
}

/// Of a body that nobody wanted, what is read all the same, so that the connection can go on; and for how long it is waited for.
const UNWANTED_BYTES_MAX: usize = 256 * 1024;
const UNWANTED_TIME: Duration = Duration::from_secs(1);

/// A request's body on loan: whoever drops it before its end gives it back.
#[derive(Debug)]
struct Lent {
    /// `None` only while it is given back.
    body: Option<Body>,
    back: Arc<Mutex<Option<Body>>>,
}

/// Who lent it.
#[derive(Debug)]
pub struct Lender(Arc<Mutex<Option<Body>>>);

/// A request that is refused by its head is answered while its body is still on its way. Left unread, it would end the connection under the
/// client's next request.
pub fn lend(body: Body) -> (Body, Lender) {
    let back = Arc::default();
    (Body::new(Lent { body: Some(body), back: Arc::clone(&back) }), Lender(back))
}

impl Lender {
    /// Reads what was left of the body. `false`: there is more of it than is read, and the connection must close.
    pub async fn read_the_rest(self) -> bool {
        let Some(body) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() else { return true };
        let reading = async {
            let mut bytes = 0;
            let mut data = body.into_data_stream();
            while let Some(piece) = data.next().await {
                bytes += piece.map_or(UNWANTED_BYTES_MAX, |piece| piece.len());
                if bytes >= UNWANTED_BYTES_MAX {
                    return false;
                }
            }
            true
        };
        tokio::time::timeout(UNWANTED_TIME, reading).await.unwrap_or(false)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) {
            *self.back.lock().unwrap_or_else(PoisonError::into_inner) = Some(body);
        }
    }
}

impl HttpBody for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        self.body.as_mut().map_or(Poll::Ready(None), |body| Pin::new(body).poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.as_ref().map_or_else(http_body::SizeHint::default, HttpBody::size_hint)
    }
}

/// A body with something that is kept for as long as it is under way.
#[derive(Debug)]
pub struct Held<T> {
    body: Body,
    #[expect(dead_code, reason = "given back when it is dropped")]
    kept: T,
}

impl<T> Held<T> {
    pub fn new(body: Body, kept: T) -> Self {
        Self { body, kept }
    }
}

impl<T: Unpin> HttpBody for Held<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}
