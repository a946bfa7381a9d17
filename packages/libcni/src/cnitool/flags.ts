import { boolFlag, listFlag, secondsFlag, textFlag } from '@cni/host/cli'

/** Default plugin folders of cnitool: the folders of upstream CNI, Debian and Fedora, in this order. */
export const DEFAULT_CNI_PATH = '/opt/cni/bin:/usr/lib/cni:/usr/libexec/cni'

/** Folder in which cnitool looks for network configurations by default. */
export const DEFAULT_CONF_DIR = '/etc/cni/net.d'

/** Flags of cnitool that only some commands accept. `usage.ts` lists the flags of each command. */
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
    help: 'attachment that still exists; repeat it for more, or separate them by commas',
  }),
  continue: boolFlag({ name: 'continue', help: 'after a failed DEL, run the DEL of the other plugins too' }),
  dryRun: boolFlag({ name: 'dry-run', help: 'print the calls as explain does, execute nothing' }),
  trace: boolFlag({
    name: 'trace',
    short: 'v',
    help: 'print time and changes of each plugin on stderr; with --json all in one document on stdout',
  }),
  verbose: boolFlag({ name: 'verbose', help: 'the same as --trace' }),
} as const

/** Flags of cnitool that all commands accept. */
export const COMMON_FLAGS = {
  conf: textFlag({ name: 'conf', value: 'FILE', help: 'file of the configuration list; NETWORK can be omitted' }),
  confDir: textFlag({
    name: 'conf-dir',
    value: 'DIR',
    help: `folder of configuration files (variable NETCONFPATH; default ${DEFAULT_CONF_DIR})`,
  }),
  cniPath: textFlag({
    name: 'cni-path',
    value: 'PATH',
    help: `plugin folders, separated by : (variable CNI_PATH; default ${DEFAULT_CNI_PATH})`,
  }),
  cacheDir: textFlag({
    name: 'cache-dir',
    value: 'DIR',
    help: 'folder of cached results (default /var/lib/cni)',
  }),
  timeout: secondsFlag({ name: 'timeout', mostSeconds: 86_400, help: 'kill the plugins after this time' }),
  json: boolFlag({ name: 'json', help: 'for programs: output as JSON, errors as a CNI error document, on stdout' }),
  version: boolFlag({ name: 'version', help: 'print the version' }),
} as const

/** All flags of cnitool: common flags, and flags of single commands. */
export const FLAGS = { ...COMMAND_FLAGS, ...COMMON_FLAGS }
