//! A minimal SMTP server: it accepts mails, or replies as configured.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// An accepted mail.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedMail {
    pub from: String,
    pub to: String,
    pub text: String,
}

/// The server: the mails it accepted, and its replies to `RCPT TO` of an address instead of 250.
#[derive(Clone, Default)]
pub struct FakeSmtpServer {
    pub received: Arc<Mutex<Vec<ReceivedMail>>>,
    pub recipient_replies: Arc<Mutex<HashMap<String, &'static str>>>,
    pub transcript: Arc<Mutex<Vec<String>>>,
    port: u16,
}

impl FakeSmtpServer {
    pub async fn start() -> FakeSmtpServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let smtp = FakeSmtpServer {
            port: listener.local_addr().expect("an address").port(),
            ..FakeSmtpServer::default()
        };
        let server = smtp.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(server.clone().serve_connection(stream));
            }
        });
        smtp
    }

    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}?from=alerts@gantry.example", self.port)
    }

    pub fn received(&self) -> Vec<ReceivedMail> {
        self.received.lock().expect("a list").clone()
    }

    /// Waits until the server has received a line.
    pub async fn wait_for_line(&self, line: &str) {
        for _ in 0..400 {
            if self
                .transcript
                .lock()
                .expect("a list")
                .iter()
                .any(|said| said == line)
            {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(25)).await;
        }
        panic!("the server never received {line}");
    }

    /// Waits until this many mails were accepted.
    pub async fn wait_for_mails(&self, mails: usize) -> Vec<ReceivedMail> {
        for _ in 0..400 {
            if self.received().len() >= mails {
                return self.received();
            }
            tokio::time::sleep(std::time::Duration::from_millis(25)).await;
        }
        panic!(
            "{} mails of {mails}; said: {:#?}",
            self.received().len(),
            self.transcript.lock().expect("a list")
        );
    }

    async fn serve_connection(self, mut stream: TcpStream) -> Option<()> {
        let (read, mut write) = stream.split();
        let mut read = BufReader::new(read);
        let (mut from, mut to) = (String::new(), String::new());
        write.write_all(b"220 desk.example ESMTP\r\n").await.ok()?;
        loop {
            let mut line = String::new();
            if (&mut read).take(4096).read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            self.transcript
                .lock()
                .expect("a list")
                .push(line.trim().to_owned());
            let address = || line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
            let answer = match line.get(..4).unwrap_or_default().to_uppercase().as_str() {
                "EHLO" => "250-desk.example\r\n250 8BITMIME",
                "MAIL" => {
                    from = address();
                    "250 ok"
                }
                "RCPT" => {
                    to = address();
                    self.recipient_replies
                        .lock()
                        .expect("a map")
                        .get(&to)
                        .copied()
                        .unwrap_or("250 ok")
                }
                "DATA" => {
                    write.write_all(b"354 go on\r\n").await.ok()?;
                    let mut text = String::new();
                    while !text.ends_with("\r\n.\r\n") && read.read_line(&mut text).await.ok()? > 0
                    {
                    }
                    let text = text.trim_end_matches(".\r\n").replace("\r\n..", "\r\n.");
                    self.received.lock().expect("a list").push(ReceivedMail {
                        from: from.clone(),
                        to: to.clone(),
                        text,
                    });
                    "250 taken"
                }
                "QUIT" => "221 bye",
                _ => "250 ok",
            };
            write
                .write_all(format!("{answer}\r\n").as_bytes())
                .await
                .ok()?;
        }
    }
}
