/** What is wrong with the command line itself. */
export class UsageError extends Error {
  static {
    Object.defineProperty(UsageError.prototype, 'name', { value: 'UsageError', configurable: true, writable: true })
  }
}

/** What `cnitool --help` prints. */
export const HELP = `Usage: cnitool COMMAND [options] [arguments]

Runs the plugins of a network configuration list against a network namespace.

Commands:
  add NETWORK NETNS        attach: print the result on success
  check NETWORK NETNS      ask the plugins whether the attachment is as add left it
  del NETWORK NETNS        detach
  gc NETWORK               delete what is left of every attachment of the network
  status NETWORK           ask the plugins whether they could serve an add
  validate NETWORK         are all plugins there, and do they support the list's version?
  version PLUGIN...        which versions do these plugins support?

NETWORK is the name inside a configuration file, NETNS a path such as /run/netns/test.

Options:
  -i, --ifname NAME        interface in the namespace       (CNI_IFNAME, eth0)
      --conf FILE          this configuration list; NETWORK may be left out
      --conf-dir DIR       folder of configuration files    (NETCONFPATH, /etc/cni/net.d)
      --cni-path PATH      folders of plugins, joined by :  (CNI_PATH, /opt/cni/bin:/usr/lib/cni:/usr/libexec/cni)
      --cache-dir DIR      where results are remembered     (/var/lib/cni)
      --timeout SECONDS    kill the plugins after this long
      --json               print errors as a CNI error document on stdout
  -h, --help               print this

Environment: CNI_ARGS ("KEY=value;KEY=value"), CAP_ARGS (JSON object of capability arguments), and the names above.

Try it: ip netns add test && cnitool add NETWORK /run/netns/test && cnitool del NETWORK /run/netns/test

Exit codes: 0 done, 1 failed.
`
