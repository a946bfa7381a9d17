import { type AcceptedAdd, acceptAdd, callLog } from '@cni/skel/ahead'
import type { AttachmentKey } from '@cni/skel/state'
import {
  CniError,
  decodeResult,
  ErrorCode,
  isCniError,
  isObject,
  k8sArgs,
  messageOf,
  parseCniArgs,
  toErrorDocument,
  type UncheckedNetConf,
} from '@cni/types'
import { beforeAsking, podAnnotationsKey, quoted } from '../decide/before-asking.ts'
import { captureOfPod, foundAddresses, mayHaveLostIpv6 } from '../decide/captured-families.ts'
import { logRedirected, logWritten } from '../decide/fresh-log.ts'
import { freshSteps } from '../decide/fresh-record.ts'
import { inet6Addresses } from '../decide/inet6-file.ts'
import { maybeAmbient } from '../decide/ladder.ts'
import { recordOf } from '../decide/record.ts'
import { type FoundRedirect, redirectionOf } from '../decide/redirection.ts'
import type { PodIdentity } from '../kube/pod-identity.ts'
import { logLevel } from '../log/sinks.ts'
import type { Conf } from '../plugin/conf.ts'
import { isPlainConf } from '../plugin/plain-conf.ts'
import { settingsOf } from '../plugin/settings.ts'
import { warnAboutSettings } from '../plugin/warn-settings.ts'
import { usableAddresses } from '../redirect/families.ts'
import type { PodInfo } from '../redirect/pod-info.ts'
import { isRedirectError } from '../redirect/redirect-error.ts'
import { ruleCount } from '../redirect/rule-count.ts'
import type { MakeBatch } from './kept-batches.ts'
import { makeBatch } from './make-batch.ts'
import type {
  ErrorAnswer,
  NamespaceFacts,
  ProgramAnswer,
  RefusalReason,
  RefusedAnswer,
  ServeAnswer,
  ServedBackend,
  ServedLine,
  ServeRequest,
  SkipAnswer,
} from './protocol.ts'

/** Which pod is meant. Without a UID the name may be that of an earlier one. */
export interface AskedPod extends PodIdentity {
  /** `K8S_POD_UID`, as the runtime says it. */
  readonly uid: string | undefined
}

/** What {@link answerCall} cannot know by itself. */
export interface CallSources {
  /** What the plugin finds out meanwhile. Rejects where it does not say so. */
  facts(): Promise<NamespaceFacts>
  /**
   * What the pod is, certainly: of this UID, and not of a while ago. Rejects where that cannot be said soon: then the
   * plugin asks by itself, and is the one that says what is wrong.
   */
  pod(who: AskedPod): Promise<PodInfo>
  /**
   * Enrols a pod in ambient mode if that is what it is to be. `undefined` where that cannot be said, or done soon: then the
   * plugin asks, and hands the pod over. Rejects with the reason why it could not be enrolled.
   */
  readonly enrol?: ((pod: StartingPod) => Promise<'enrolled' | 'not-ambient' | undefined>) | undefined
  /** Default: each is made anew. */
  readonly batch?: MakeBatch
}

/** A pod, and what the plugin was told of it. */
export interface StartingPod extends AskedPod {
  /** The path of its namespace. */
  readonly netns: string
  /** Without prefix lengths. */
  readonly addresses: readonly string[]
}

/**
 * Decides about an ADD as the plugin would, from what the plugin knows of the namespace and the agent of the pod. Never
 * rejects: what should not happen is refused, and the plugin's to find.
 */
export async function answerCall(request: ServeRequest, sources: CallSources): Promise<ServeAnswer> {
  const call = new ServedCall(request)
  try {
    return await call.answer(sources)
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    const { code, msg, details } = toErrorDocument(error)
    if (!isCniError(error) || code === ErrorCode.internal) return refused('internal', messageOf(error))
    const cause = error.cause === undefined ? undefined : messageOf(error.cause)
    return { act: 'error', ...call.logged(), error: { code, msg, details, cause } }
  }
}

// internal

/** Pods that ask for more rules make them in their own plugin process, so that they do not hold up other pods. */
const MAX_SERVED_RULES = 256

class ServedCall {
  readonly #request: ServeRequest
  readonly #lines: ServedLine[] = []
  readonly #log: ReturnType<typeof callLog>
  #level: ReturnType<typeof logLevel>

  constructor(request: ServeRequest) {
    this.#request = request
    const containerID = request.env.CNI_CONTAINERID || undefined
    const fields = { plugin: 'istio-cni', command: 'ADD', containerID }
    this.#log = callLog((text) => this.#lines.push({ text }), fields)
  }

  /** What the call logs. Lines are kept until its level is known: of an invalid configuration it never is. */
  logged(): Pick<ErrorAnswer, 'log' | 'logLevel'> {
    if (this.#level === undefined) this.#log.open()
    return { log: this.#lines, logLevel: this.#level }
  }

  async answer(sources: CallSources): Promise<ServeAnswer> {
    const { env } = this.#request
    const accepted = acceptedBy(this.#request)
    const { document } = accepted
    const conf = isPlainConf(document) ? document : await this.#checked(document)
    const told = addressesIn(accepted)
    const settings = settingsOf(conf)
    this.#level = logLevel(settings.logLevel) ?? 'info'
    this.#log.open({ level: this.#level })
    warnAboutSettings(this.#log, conf, settings)
    const k8s = k8sArgs(parseCniArgs(env.CNI_ARGS ?? ''))
    const first = beforeAsking({ pod: k8s, podAnnotations: conf.runtimeConfig?.[podAnnotationsKey], settings })
    if (first.act === 'skip') {
      this.#log[first.level](first.reason, k8s && { pod: quoted(k8s) })
      return this.#skip(accepted)
    }
    const who = { ...first.pod, uid: k8s?.uid }
    const pod = await known(sources, who)
    if (maybeAmbient(pod, settings)) {
      const addresses = told.map((cidr) => cidr.split('/')[0] ?? '')
      const done = await enrolled(sources, { ...who, netns: env.CNI_NETNS ?? '', addresses })
      if (done === undefined) throw new Refusal('ambient')
      if (done === 'enrolled') {
        this.#log.info('the node agent enrolled the pod in ambient mode', { pod: quoted(who) })
        return this.#skip(accepted)
      }
    }
    const found = redirectionOf(pod, { log: this.#log, env })
    if (found === undefined) return this.#skip(accepted)
    const rules = ruleCount(found.redirect)
    if (rules > MAX_SERVED_RULES) {
      throw new Refusal('rules', `the pod asks for up to ${rules} rules, at most ${MAX_SERVED_RULES} are served`)
    }
    const backend = conf.native_nftables === true ? 'nftables' : 'nft'
    const facts = await toldFacts(sources)
    if (facts.backend !== backend) throw new Refusal('backend')
    if (!facts.fresh) throw new Refusal('not-fresh')
    return this.#program(found, { accepted, addresses: told, facts, backend }, sources.batch ?? makeBatch)
  }

  #skip({ passedOn }: AcceptedAdd): SkipAnswer {
    return { act: 'skip', ...this.logged(), stdout: passedOn() }
  }

  /** As the plugin: the schema is for what a cheap look does not vouch for. */
  async #checked(document: UncheckedNetConf): Promise<Conf> {
    const [{ checkConfig }, { confSchema }] = await Promise.all([
      import('@cni/skel/schema'),
      import('../plugin/conf.ts'),
    ])
    return checkConfig(confSchema, document, this.#log)
  }

  #program(redirect: FoundRedirect, place: KnownPlace, make: MakeBatch): ProgramAnswer {
    const { accepted, addresses, facts, backend } = place
    const { env } = this.#request
    const told = usableAddresses(addresses)
    if (told.ipv4.length === 0 && facts.addresses === undefined) throw new Refusal('addresses')
    const found = foundAddresses(told.ipv4.length > 0 ? inet6Addresses(facts.inet6) : (facts.addresses ?? []))
    if (mayHaveLostIpv6({ told, found }) && facts.ipv6Off === undefined) throw new Refusal('addresses')
    const known = { place: env.CNI_NETNS ?? '', addresses, told, found, ipv6Off: facts.ipv6Off === true }
    const config = captureOfPod(redirect, known, this.#log)
    const record = { ...recordOf(facts.netns, config), backend }
    const batch = make(config, backend)
    if (batch === undefined) throw new Refusal('rules')
    this.#timed('ms', () => logWritten(this.#log, record))
    this.#timed('durationMs', () => logRedirected(this.#log, redirect, record))
    return {
      act: 'program',
      ...this.logged(),
      stdout: accepted.passedOn(),
      netns: facts.netns,
      backend,
      ...freshSteps(keyOf(accepted), record, facts.generation),
      batch,
    }
  }

  /** The plugin knows how long it took, and nobody before. */
  #timed(timed: NonNullable<ServedLine['timed']>, say: () => void): void {
    const at = this.#lines.length
    say()
    const line = this.#lines[at]
    if (line !== undefined) this.#lines[at] = { ...line, timed }
  }
}

/** A namespace, as the plugin has told of it. */
interface KnownPlace {
  readonly accepted: AcceptedAdd
  readonly addresses: readonly string[]
  readonly facts: NamespaceFacts
  readonly backend: ServedBackend
}

/** Of a call that cannot be the plugin says what is wrong. */
function acceptedBy({ env, stdin }: ServeRequest): AcceptedAdd {
  try {
    return acceptAdd({ env, stdin })
  } catch (error) {
    throw new Refusal('request', messageOf(error))
  }
}

const keyOf = ({ document, environment: { containerID, ifName } }: AcceptedAdd): AttachmentKey => ({
  network: document.name,
  containerID,
  ifName,
})

class Refusal extends Error {
  readonly answer: RefusedAnswer

  constructor(reason: RefusalReason, detail?: string) {
    super(detail ?? reason)
    this.answer = refused(reason, detail)
  }
}

/**
 * The addresses in the result so far. The plugin passes it on unread, so that one that cannot be read has to be refused
 * here: the plugin then says why.
 */
function addressesIn({ document: { prevResult }, version }: AcceptedAdd): string[] {
  if (prevResult === undefined) return []
  if (!isObject(prevResult)) throw new Refusal('request', 'prevResult is no object')
  try {
    const { ips = [] } = decodeResult(prevResult, { version })
    return ips.map(({ address }) => address)
  } catch (error) {
    throw new Refusal('request', messageOf(error))
  }
}

const refused = (reason: RefusalReason, detail?: string): RefusedAnswer => ({ act: 'refused', reason, detail })

async function toldFacts(sources: CallSources): Promise<NamespaceFacts> {
  try {
    return await sources.facts()
  } catch (error) {
    throw new Refusal('request', messageOf(error))
  }
}

async function known(sources: CallSources, who: AskedPod): Promise<PodInfo> {
  try {
    return await sources.pod(who)
  } catch (error) {
    throw new Refusal('pod', messageOf(error))
  }
}

/** What fails is said as by a plugin that has handed the pod over. */
async function enrolled(sources: CallSources, pod: StartingPod): Promise<'enrolled' | 'not-ambient' | undefined> {
  try {
    return await sources.enrol?.(pod)
  } catch (cause) {
    if (isRedirectError(cause)) throw new CniError(ErrorCode.invalidNetworkConfig, cause.message, { cause })
    const text = `ambient pod ${quoted(pod)} could not be enrolled by the node agent: ${messageOf(cause)}`
    throw new CniError(ErrorCode.tryAgainLater, text, { cause })
  }
}
