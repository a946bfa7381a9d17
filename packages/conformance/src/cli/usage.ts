/** What is wrong with the command line itself. */
export class UsageError extends Error {
  static {
    Object.defineProperty(UsageError.prototype, 'name', { value: 'UsageError', configurable: true, writable: true })
  }
}

/** What `cni-conformance --help` prints. */
export const HELP = `Usage: cni-conformance PLUGIN [options]

Checks a CNI plugin against the specification, in throw-away namespaces: the machine stays as it is. Needs root.

Options:
      --conf FILE          the plugin's configuration, or a list that has one for it
      --chained            it comes after other plugins: give it a pod with an interface, and a prevResult
      --only ID            run this check or group; may be repeated, or a list with commas
      --skip ID            leave this check or group out; may be repeated
      --cni-path DIRS      where it finds plugins it calls      (its own folder, /opt/cni/bin, /usr/lib/cni)
      --cni-version VERSION
                           cniVersion of configurations         (the configuration's, or the newest it claims)
      --args TEXT          CNI_ARGS of every call
      --share PATH         a file or folder below /run or /var/lib/cni that it sees, such as its daemon's socket
      --timeout SECONDS    how long one execution may take      (10)
      --strict             advice counts too: exit code 1
      --json               the whole report as JSON on stdout
      --junit FILE         and as JUnit XML to a file
      --list               print the checks
  -h, --help               print this

Try it: cni-conformance /usr/lib/cni/loopback

Exit codes: 0 conforms, 1 does not, 2 wrong usage, 3 could not run,
            4 incomplete: no violation, but not everything could be checked; the report begins with why
`
