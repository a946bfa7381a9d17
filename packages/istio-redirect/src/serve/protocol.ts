import type { LogLevel } from '@cni/skel'
import type { FreshSteps } from '../decide/fresh-record.ts'
import type { NetnsIdentity } from '../state/attachments.ts'

/**
 * What the plugin asks the node agent, and what it is answered: one call per connection of a unix stream socket, each
 * message a frame (`frame.ts`).
 *
 * | | |
 * |---|---|
 * | plugin | a {@link ServeRequest} |
 * | agent | the byte {@link ACCEPTED}, as soon as it has the request |
 * | plugin | {@link NamespaceFacts}, which it finds out while the agent looks at the pod; not if it has the answer by then |
 * | agent | a {@link ServeAnswer}; without having waited for the facts, where they do not decide |
 * | plugin | a {@link Done}, when the call is over and was done as answered; then it closes |
 *
 * The plugin may close at any moment, and does without what comes too late.
 */
export const PROTOCOL = 3

/** Says that an answer will come: within 100 ms of the request, or the plugin decides by itself. */
export const ACCEPTED = 0x06

/** How long the plugin waits, in milliseconds. */
export const PATIENCE = {
  /** For {@link ACCEPTED}, the connection included. */
  accepted: 100,
  /** For the answer, from then on. An agent that would need longer refuses. */
  answer: 3000,
} as const

/** The longest request, in bytes of a frame. */
export const MAX_REQUEST = 1024 * 1024
/** The longest answer. */
export const MAX_ANSWER = 4 * 1024 * 1024

/** An ADD. */
export interface ServeRequest {
  readonly protocol: typeof PROTOCOL
  /** Of these packages: {@link VERSION} of `@cni/host/cli`. An agent of another one refuses. */
  readonly version: string
  /** The variables of the protocol, and those that redirection depends on: {@link isServedVariable}. */
  readonly env: Readonly<Record<string, string>>
  /** Stdin as it came; not in JSON, but behind it in the frame. */
  readonly stdin: Uint8Array
}

/** What only the plugin can find out about a namespace. */
export interface NamespaceFacts {
  readonly netns: NetnsIdentity
  /**
   * `nft`: iptables, for both families, as far as rules go that netlink can write. `nftables`: the tables of the native mode,
   * for which the configuration seems to ask. `other`: programs have to find out, or to write.
   */
  readonly backend: ServedBackend | 'other'
  /** Nothing of iptables is there, or none of the tables of the native mode; of another back end it is not known. */
  readonly fresh: boolean
  /** The kernel's count of the changes of nf_tables there; of another back end it is not known. */
  readonly generation: number
  /** `/proc/net/if_inet6` there; empty where the kernel has no IPv6. */
  readonly inet6: string
  /** All addresses that the kernel has, `address/bits`; only asked for where `prevResult` seems to tell none of IPv4. */
  readonly addresses?: readonly string[] | undefined
  /** Whether `disable_ipv6` keeps the pod from IPv6; only looked at where that may decide. */
  readonly ipv6Off?: boolean | undefined
}

/** How a pod's rules can be written by an answer. */
export type ServedBackend = 'nft' | 'nftables'

/** Whether a variable is part of a request. */
export const isServedVariable = (name: string): boolean => name.startsWith('CNI_') || name.startsWith('ISTIO_OUTBOUND_')

/** What the agent says. */
export type ServeAnswer = DoneAnswer | ErrorAnswer | RefusedAnswer

/** What the plugin can do, and say that it has. */
export type DoneAnswer = SkipAnswer | ProgramAnswer

/** What the call logs, as far as its level has it written, in this order. */
interface Logged {
  readonly log: readonly ServedLine[]
  /** That level; absent where the configuration is invalid: then the log is stderr alone. */
  readonly logLevel?: LogLevel | undefined
}

/** The pod starts without redirection; the reason is the last line. */
export interface SkipAnswer extends Logged {
  readonly act: 'skip'
  /** What the plugin prints. */
  readonly stdout: string
}

/** The call fails. */
export interface ErrorAnswer extends Logged {
  readonly act: 'error'
  readonly error: ServedError
}

/** What a failed call prints, and what else its log says. */
export interface ServedError {
  readonly code: number
  readonly msg: string
  readonly details?: string | undefined
  /** What led to it. */
  readonly cause?: string | undefined
}

/** The pod's traffic is redirected: record, batch, addresses and routes, record. */
export interface ProgramAnswer extends Logged, FreshSteps {
  readonly act: 'program'
  /** What the plugin prints. */
  readonly stdout: string
  /** The namespace that the plugin has told of. */
  readonly netns: NetnsIdentity
  /** What the batch is for. */
  readonly backend: ServedBackend
  /** `freshBatch` of `@cni/iptables/fresh` or `@cni/nftables/fresh`, by the back end; not in JSON, but behind it in the frame. */
  readonly batch: Uint8Array
}

/** The plugin has to decide by itself. */
export interface RefusedAnswer {
  readonly act: 'refused'
  readonly reason: RefusalReason
  /** For people. */
  readonly detail?: string | undefined
}

/** One line of the log, as stderr and the file get it. */
export interface ServedLine {
  /** A JSON object, and a newline. */
  readonly text: string
  /** The member that it still gets at its end: how long the rules have taken, in milliseconds. */
  readonly timed?: 'ms' | 'durationMs' | undefined
}

/** The call was done as answered. */
export interface Done {
  /** How long the rules have taken, in milliseconds; 0 where there are none. */
  readonly done: number
}

/** Why a call is not served. */
export const REFUSALS = [
  /** Of another protocol, or of another version of these packages. */
  'version',
  /** It is no request. */
  'request',
  /** What the pod is cannot be said now: the plugin asks, and says what is wrong. */
  'pod',
  /** Ambient mode may choose the pod: the plugin asks about its namespace, and announces it. */
  'ambient',
  /** Rules that netlink cannot write there, or of another kind than the plugin has looked for. */
  'backend',
  /** Something is there already. */
  'not-fresh',
  /** What the kernel knows of addresses decides, and the plugin has not asked it. */
  'addresses',
  /** A rule that only a program can write, or more rules than the agent makes. */
  'rules',
  /** The agent has too much to do, or ends. */
  'busy',
  /** Something that should not happen did. */
  'internal',
] as const

/** One of {@link REFUSALS}. */
export type RefusalReason = (typeof REFUSALS)[number]
