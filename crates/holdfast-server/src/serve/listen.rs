//! The bytes: connections in, answers out, until it is told to stop. A client that sends its head slowly, or nothing, is let go.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::app::App;

/// From the first byte of a request's head to its last.
const HEAD: Duration = Duration::from_secs(10);
/// Bytes of a head at most.
const HEAD_BYTES: usize = 64 * 1024;
/// Connections at a time: each costs a task and some tens of kilobytes.
const CONNECTIONS: usize = 1_024;
/// After a failure to take a connection (no descriptors left), until the next try.
const AFTER_FAILURE: Duration = Duration::from_millis(50);
/// What is under way when it is told to stop has so long to end.
pub const ENDING: Duration = Duration::from_secs(20);

pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>, app: App) -> Result<()> {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES);
    let graceful = GracefulShutdown::new();
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    tokio::pin!(stop);
    loop {
        let permit = tokio::select! {
            permit = Arc::clone(&connections).acquire_owned() => permit?,
            () = &mut stop => break,
        };
        let (stream, _) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!("a connection could not be taken: {error}");
                    tokio::time::sleep(AFTER_FAILURE).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        // Small answers must not wait for the next packet.
        let _ = stream.set_nodelay(true);
        let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router.clone()));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that broke off is no event.
            let _ = connection.await;
            drop(permit);
        });
    }
    tracing::info!("stopping: what is under way is finished");
    app.close();
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(ENDING) => tracing::warn!("some connections did not end in time"),
    }
    Ok(())
}

/// Ends with Ctrl-C, when the system asks the process to, or, where that is wanted, with stdin.
pub async fn told_to_stop(with_stdin: bool) {
    let abandoned = async {
        if with_stdin {
            stdin_closed().await;
        } else {
            std::future::pending::<()>().await;
        }
    };
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
        () = abandoned => {}
    }
}

/// The other end of the pipe is closed: by its holder, or by the system once that is gone, however it went.
async fn stdin_closed() {
    let (sender, closed) = tokio::sync::oneshot::channel();
    // A thread of its own, which the process does not wait for: reading can't be broken off.
    std::thread::spawn(move || {
        // An error is an end too.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        let _ = sender.send(());
    });
    let _ = closed.await;
}
