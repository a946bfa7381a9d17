import { boolFlag, listFlag, secondsFlag, textFlag } from '@cni/host/cli'

/** Default plugin folders of cnitool: upstream's, Debian's and Fedora's. */
export const DEFAULT_CNI_PATH = '/opt/cni/bin:/usr/lib/cni:/usr/libexec/cni'

/** Default configuration folder of cnitool. */
export const DEFAULT_CONF_DIR = '/etc/cni/net.d'

/** Flags that only some commands have; see `usage.ts`. */
export const COMMAND_FLAGS = {
  ifname: textFlag({
    name: 'ifname',
    short: 'i',
    value: 'NAME',
    help: 'interface in the namespace (variable CNI_IFNAME; default eth0)',
  }),
  keep: listFlag({
    name: 'keep',
    value: 'ID/IFNAME',
    help: 'an attachment that still exists; again for more, or joined by commas',
  }),
  continue: boolFlag({ name: 'continue', help: 'after a failed DEL run those of the plugins that are left' }),
  dryRun: boolFlag({ name: 'dry-run', help: 'as explain: print what would be executed, execute nothing' }),
  trace: boolFlag({
    name: 'trace',
    short: 'v',
    help: 'what each plugin took and changed, on stderr; with --json all in one document on stdout',
  }),
  verbose: boolFlag({ name: 'verbose', help: 'the same as --trace' }),
} as const

/** Flags of all commands. */
export const COMMON_FLAGS = {
  conf: textFlag({ name: 'conf', value: 'FILE', help: 'this configuration list; NETWORK may be left out' }),
  confDir: textFlag({
    name: 'conf-dir',
    value: 'DIR',
    help: `folder of configuration files (variable NETCONFPATH; default ${DEFAULT_CONF_DIR})`,
  }),
  cniPath: textFlag({
    name: 'cni-path',
    value: 'PATH',
    help: `folders of plugins, joined by : (variable CNI_PATH; default ${DEFAULT_CNI_PATH})`,
  }),
  cacheDir: textFlag({
    name: 'cache-dir',
    value: 'DIR',
    help: 'where results are remembered (default /var/lib/cni)',
  }),
  timeout: secondsFlag({ name: 'timeout', mostSeconds: 86_400, help: 'kill the plugins after this long' }),
  json: boolFlag({ name: 'json', help: 'for programs: output as JSON, errors as a CNI error document, on stdout' }),
  version: boolFlag({ name: 'version', help: 'print the version' }),
} as const

/** All flags of cnitool. */
export const FLAGS = { ...COMMAND_FLAGS, ...COMMON_FLAGS }
