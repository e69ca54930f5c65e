//! A balancer: each connection goes to the next instance that accepts it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::net::{TcpListener, TcpStream};

pub struct Balancer {
    pub address: SocketAddr,
    instances: Arc<Mutex<Vec<SocketAddr>>>,
}

impl Balancer {
    pub async fn start(instances: Vec<SocketAddr>) -> Balancer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let instances = Arc::new(Mutex::new(instances));
        let shared = instances.clone();
        tokio::spawn(async move {
            for nth in 0usize.. {
                let (client, _) = listener.accept().await.unwrap();
                let mut candidates = shared.lock().unwrap().clone();
                let first = nth % candidates.len();
                candidates.rotate_left(first);
                tokio::spawn(pass_on(client, candidates));
            }
        });
        Balancer { address, instances }
    }

    /// Names another instance in place of one.
    pub fn replace(&self, nth: usize, instance: SocketAddr) {
        self.instances.lock().unwrap()[nth] = instance;
    }
}

/// Connects a client to the first of the instances that accepts it, until either side closes the
/// connection.
async fn pass_on(mut client: TcpStream, instances: Vec<SocketAddr>) {
    for instance in instances {
        if let Ok(mut server) = TcpStream::connect(instance).await {
            for side in [&client, &server] {
                side.set_nodelay(true).unwrap();
            }
            let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            return;
        }
    }
}
