//! A small HTTP/1.1 client: one connection, one request at a time.
//!
//! The machine that measures is the machine that is measured, so the client must cost next to
//! nothing: a general client takes several times as long for a request as this one.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// No answer takes longer than this, or the server is considered stuck.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// An answer.
#[derive(Debug)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// As received.
    pub body: Vec<u8>,
}

impl Reply {
    /// The body as JSON.
    pub fn json<T: serde::de::DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_slice(&self.body)
            .with_context(|| format!("answer {}: {}", self.status, self.text()))
    }

    /// The body for people.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body)
            .chars()
            .take(400)
            .collect()
    }
}

/// One connection to one server, opened when first needed and again after a fault.
#[derive(Debug)]
pub struct Connection {
    server: SocketAddr,
    token: String,
    stream: Option<TcpStream>,
    buffer: Vec<u8>,
}

impl Connection {
    /// A connection that signs its requests with a token; an empty token sends none.
    pub fn new(server: SocketAddr, token: &str) -> Self {
        Self {
            server,
            token: token.to_owned(),
            stream: None,
            buffer: Vec::with_capacity(8 * 1024),
        }
    }

    /// Opens the connection now, so that a measurement does not begin with it.
    pub async fn open(&mut self) -> Result<()> {
        self.stream().await.map(|_| ())
    }

    async fn stream(&mut self) -> Result<&mut TcpStream> {
        if self.stream.is_none() {
            let stream = TcpStream::connect(self.server)
                .await
                .with_context(|| format!("no server at {}", self.server))?;
            stream.set_nodelay(true)?;
            self.stream = Some(stream);
        }
        self.stream.as_mut().context("connection was just opened")
    }

    /// Sends the next requests under another token.
    pub fn sign_as(&mut self, token: &str) {
        token.clone_into(&mut self.token);
    }

    /// Sends one request. A fault of the network is an error, any status is an answer.
    pub async fn send(
        &mut self,
        method: &str,
        path: &str,
        key: Option<&str>,
        body: &[u8],
    ) -> Result<Reply> {
        let mut request = Vec::with_capacity(512 + body.len());
        request.extend_from_slice(method.as_bytes());
        request.extend_from_slice(b" ");
        request.extend_from_slice(path.as_bytes());
        request.extend_from_slice(b" HTTP/1.1\r\nhost: bench\r\n");
        let mut header = |name: &str, value: &str| {
            request.extend_from_slice(name.as_bytes());
            request.extend_from_slice(b": ");
            request.extend_from_slice(value.as_bytes());
            request.extend_from_slice(b"\r\n");
        };
        if !self.token.is_empty() {
            header("authorization", &format!("Bearer {}", self.token));
        }
        if let Some(key) = key {
            header(protocol::api::IDEMPOTENCY_KEY, key);
        }
        if method != "GET" {
            header("content-type", "application/json");
            header("content-length", &body.len().to_string());
        }
        request.extend_from_slice(b"\r\n");
        request.extend_from_slice(body);
        let answer = tokio::time::timeout(ANSWER_TIMEOUT, self.exchange(&request)).await;
        match answer {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(error)) => {
                self.stream = None;
                Err(error.context(format!("{method} {path}")))
            }
            Err(_) => {
                self.stream = None;
                bail!("{method} {path}: no answer within {ANSWER_TIMEOUT:?}")
            }
        }
    }

    async fn exchange(&mut self, request: &[u8]) -> Result<Reply> {
        self.stream().await?.write_all(request).await?;
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        let head = loop {
            if let Some(end) = find(&buffer, b"\r\n\r\n") {
                break end + 4;
            }
            self.read_more(&mut buffer).await?;
        };
        let (status, framing) = parse_head(&buffer[..head])?;
        let body = match framing {
            Framing::Length(length) => {
                while buffer.len() < head + length {
                    self.read_more(&mut buffer).await?;
                }
                buffer[head..head + length].to_vec()
            }
            Framing::Chunked => self.chunks(&mut buffer, head).await?,
        };
        self.buffer = buffer;
        Ok(Reply { status, body })
    }

    async fn chunks(&mut self, buffer: &mut Vec<u8>, mut at: usize) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = loop {
                if let Some(end) = find(&buffer[at..], b"\r\n") {
                    break end;
                }
                self.read_more(buffer).await?;
            };
            let size = std::str::from_utf8(&buffer[at..at + line])?;
            let size = usize::from_str_radix(size.split(';').next().unwrap_or("").trim(), 16)?;
            at += line + 2;
            while buffer.len() < at + size + 2 {
                self.read_more(buffer).await?;
            }
            body.extend_from_slice(&buffer[at..at + size]);
            at += size + 2;
            if size == 0 {
                return Ok(body);
            }
        }
    }

    async fn read_more(&mut self, buffer: &mut Vec<u8>) -> Result<()> {
        if self.stream().await?.read_buf(buffer).await? == 0 {
            bail!("the server closed the connection");
        }
        Ok(())
    }
}

enum Framing {
    Length(usize),
    Chunked,
}

fn parse_head(head: &[u8]) -> Result<(u16, Framing)> {
    let head = std::str::from_utf8(head).context("an answer's head that is no text")?;
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .and_then(|status| status.parse().ok())
        .context("an answer without a status")?;
    let mut framing = Framing::Length(0);
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        if name.eq_ignore_ascii_case("content-length") {
            framing = Framing::Length(value.trim().parse()?);
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            framing = Framing::Chunked;
        }
    }
    Ok((status, framing))
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|part| part == needle)
}
