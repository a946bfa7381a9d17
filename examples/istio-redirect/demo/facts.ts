import type { Connection, PluginRun } from '@cni/istio-redirect/testing/node'

/** Connection of the demo, with its expected and its actual result. */
export interface JudgedConnection extends Connection {
  /** Description of the connection in English, for the demo's output. */
  what: string
  from: { namespace: 'pod' | 'node'; uid: number }
  expected: Expected
  as_expected: boolean
}

export interface Expected {
  served_by: string
  listener: number
  original_dst?: string
}

/** Result of the plugin's CHECK: success, or the error document that the plugin printed. */
export type CheckOutcome = { passed: true } | { passed: false; code: number; msg: string; details: string }

/** Results of a demo run, as the option `--json` prints them. Times are in milliseconds. */
export interface Facts {
  as_expected: boolean
  /**
   * Machine that runs the demo. `hidden` lists the programs that the option `--without-iptables` hides from the plugin.
   */
  machine: { kernel: string; node: string; iptables: string; hidden?: string[] }
  plugin: { file: string; bytes: number; sha256: string; version: unknown }
  node: { netns: string; folder: string }
  pod: { namespace: string; name: string; netns: string; ips: string[]; annotations: Readonly<Record<string, string>> }
  conflist: unknown
  plugin_runs: readonly PluginRun[]
  api_requests: string[]
  result: unknown
  /** Rules in the format of `iptables-save`. Rules from netlink lack packet counters. */
  rules: { ipv4: string[]; ipv6: string[] }
  connections: JudgedConnection[]
  check: { untouched: CheckOutcome; tampered_with: string; tampered: CheckOutcome }
  /** Objects that still exist after DEL. Absent with `--keep`, because DEL is not called. */
  left_behind?: { rules: string[]; state: string[]; addresses: string[]; interfaces: string[] }
  kept?: { pod: string; node: string; folder: string }
  total_ms: number
}
