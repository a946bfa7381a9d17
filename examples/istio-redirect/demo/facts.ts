import type { Connection, PluginRun } from '@cni/istio-redirect/testing/node'

/** A connection, what should have happened to it, and what did. */
export interface JudgedConnection extends Connection {
  /** For people: what this connection shows. */
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

/** What CHECK said: nothing, or the error document of the plugin. */
export type CheckOutcome = { passed: true } | { passed: false; code: number; msg: string; details: string }

/** Everything the demo saw; `--json` prints it. Times are milliseconds. */
export interface Facts {
  as_expected: boolean
  /** `hidden`: the programs that `--without-iptables` took away. */
  machine: { kernel: string; node: string; iptables: string; hidden?: string[] }
  plugin: { file: string; bytes: number; sha256: string; version: unknown }
  node: { netns: string; folder: string }
  pod: { namespace: string; name: string; netns: string; ips: string[]; annotations: Readonly<Record<string, string>> }
  conflist: unknown
  plugin_runs: readonly PluginRun[]
  api_requests: string[]
  result: unknown
  /** `iptables-save` of the pod, own chains and jumps only, with packet counters after the connections, if a program read them. */
  rules: { ipv4: string[]; ipv6: string[] }
  connections: JudgedConnection[]
  check: { untouched: CheckOutcome; tampered_with: string; tampered: CheckOutcome }
  /** Absent with `--keep`. */
  left_behind?: { rules: string[]; state: string[]; addresses: string[]; interfaces: string[] }
  kept?: { pod: string; node: string; folder: string }
  total_ms: number
}
