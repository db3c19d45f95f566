//! The command line.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

/// What the window was started with.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Args {
    /// Serve the same screens to a browser, on this loopback address.
    pub(crate) web: Option<SocketAddr>,
    /// Where the built screens are, for that.
    pub(crate) ui: Option<PathBuf>,
}

/// What the program says of itself.
pub(crate) const USAGE: &str = "\
nightdesk [--web 127.0.0.1:PORT --ui DIR]
  --web   serve the same screens to a browser too, on a loopback address (port 0: any free one)
  --ui    the folder of the built screens, for --web
Environment: NIGHTDESK_DESK_DATA (where this desk keeps its copy), NIGHTDESK_SERVER, NIGHTDESK_NAME,
NIGHTDESK_PASSWORD (signs in by itself when nobody is)";

impl Args {
    /// Reads the arguments after the program's name.
    ///
    /// # Errors
    /// A sentence.
    pub(crate) fn read(args: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut read = Self::default();
        let mut args = args;
        while let Some(arg) = args.next() {
            match arg.to_str() {
                Some("--web") => {
                    let text = args.next().unwrap_or_default();
                    let address: Option<SocketAddr> =
                        text.to_str().and_then(|text| text.parse().ok());
                    match address {
                        // The screens show guests: nobody else on the network may see them.
                        Some(address) if address.ip().is_loopback() => read.web = Some(address),
                        _ => {
                            return Err(format!(
                                "--web wants a loopback address such as 127.0.0.1:0, not {:?}",
                                text.to_string_lossy()
                            ));
                        }
                    }
                }
                Some("--ui") => match args.next() {
                    Some(dir) => read.ui = Some(dir.into()),
                    None => return Err("--ui wants a folder after it".to_owned()),
                },
                _ => {
                    return Err(format!(
                        "{:?} is not understood\n{USAGE}",
                        arg.to_string_lossy()
                    ));
                }
            }
        }
        if read.web.is_some() && read.ui.is_none() {
            return Err("--web needs --ui DIR, the folder of the built screens".to_owned());
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &[&str]) -> Result<Args, String> {
        Args::read(args.iter().map(OsString::from))
    }

    #[test]
    fn the_browser_is_served_on_loopback_only() {
        let args = read(&["--web", "127.0.0.1:0", "--ui", "dist"]).expect("valid");
        assert_eq!(args.web, Some(SocketAddr::from(([127, 0, 0, 1], 0))));
        for bad in ["0.0.0.0:80", "192.168.1.2:80", "localhost", ""] {
            let error = read(&["--web", bad, "--ui", "dist"]).expect_err("must be refused");
            assert!(error.contains("loopback"), "{error}");
        }
    }

    #[test]
    fn what_is_missing_or_unknown_is_said() {
        assert!(
            read(&["--web", "127.0.0.1:0"])
                .expect_err("no ui")
                .contains("--ui DIR")
        );
        assert!(
            read(&["--ui"])
                .expect_err("no folder")
                .contains("a folder after it")
        );
        assert!(read(&["--wide"]).expect_err("unknown").contains("--wide"));
    }
}
