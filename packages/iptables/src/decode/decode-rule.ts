import type { Expression, Expressions } from '@cni/nftables/wire'
import { printedRate } from '../parse/normalize-rate.ts'
import type { Family } from '../rules/model.ts'
import { rateUnits, USUAL_BURST } from '../xt/expressions.ts'
import {
  type Comparison,
  type GeneralOption,
  generalOptions,
  type OptionText,
  optionsFor,
  type TransportOption,
  transportOptions,
} from './decode-comparison.ts'
import { matchText } from './decode-matches.ts'
import { nflogText, targetText } from './decode-targets.ts'
import { words } from './option-text.ts'
import { endOf, endText } from './rule-end.ts'

/** Decodes an nf_tables rule to the text that `iptables-nft-save` prints after `-A CHAIN`. */
export function decodeRule(expressions: readonly Expression[], family: Family): string | undefined {
  const reader = new RuleReader(family)
  return expressions.every((expression) => reader.take(expression)) ? reader.text() : undefined
}

// internal

/** Decodes a rule. A load expression and a comparison expression together give one option. */
class RuleReader {
  readonly #family: Family
  readonly #general = new Map<GeneralOption, string>()
  readonly #matches: string[] = []
  /** Port and TCP flag options that the rule stores without an xt module. Printed as one match. */
  readonly #transport = new Map<TransportOption, string>()
  #transportAt = 0
  #loaded: Expressions['meta' | 'payload'] | undefined
  #mask: Uint8Array | undefined
  #counters = 0
  #end: string | undefined

  constructor(family: Family) {
    this.#family = family
  }

  /** Decodes one expression of the rule. Returns false if this package does not support the expression. */
  take(expression: Expression): boolean {
    if (this.#end !== undefined) return false
    switch (expression.name) {
      case 'meta':
      case 'payload':
        return this.#load(expression)
      case 'bitwise':
        return this.#and(expression)
      case 'cmp':
        return expression.sreg === 1 && this.#compare(expression)
      case 'range':
        return expression.sreg === 1 && this.#compare({ ...expression, data: expression.from })
      default:
        return this.#isIdle() && this.#step(expression)
    }
  }

  text(): string | undefined {
    if (!this.#isIdle()) return undefined
    if (this.#transport.size > 0) {
      const options = transportOptions.map((each) => this.#transport.get(each) ?? '')
      this.#matches.splice(this.#transportAt, 0, words('-m', this.#protocol(), ...options))
    }
    return words(...generalOptions.map((each) => this.#general.get(each) ?? ''), ...this.#matches, this.#end ?? '')
  }

  /** True if no loaded field waits for its comparison. An interface name may stay without a comparison. */
  #isIdle(): boolean {
    const key = this.#loaded?.name === 'meta' ? this.#loaded.key : undefined
    return this.#loaded === undefined || key === 'iifname' || key === 'oifname'
  }

  #load(expression: Expressions['meta' | 'payload']): boolean {
    if (!this.#isIdle() || expression.dreg !== 1 || expression.sreg !== undefined) return false
    this.#loaded = expression
    this.#mask = undefined
    return true
  }

  #and({ sreg, dreg, op, mask, xor }: Expressions['bitwise']): boolean {
    if (this.#loaded === undefined || this.#mask !== undefined || sreg !== 1 || dreg !== 1) return false
    this.#mask = mask
    return op === undefined && mask !== undefined && xor?.every((byte) => byte === 0) === true
  }

  #compare(compared: Omit<Comparison, 'loaded' | 'mask'>): boolean {
    const [loaded, mask] = [this.#loaded, this.#mask]
    this.#loaded = undefined
    const found = loaded === undefined ? undefined : optionsFor({ ...compared, loaded, mask }, this.#family)
    return found?.every((each) => this.#addOption(each)) === true
  }

  #addOption({ option, text }: OptionText): boolean {
    switch (option) {
      case '--mark':
        return this.#match(`-m mark ${text}`)
      case '--sport':
      case '--dport':
      case '--tcp-flags': {
        const protocol = this.#protocol()
        if (protocol !== 'tcp' && (protocol !== 'udp' || option === '--tcp-flags')) return false
        if (this.#transport.size === 0) this.#transportAt = this.#matches.length
        return setOnce(this.#transport, option, text)
      }
      default:
        return setOnce(this.#general, option, text)
    }
  }

  /** Protocol that the rule requires; `''` if the rule's protocol is missing or negated. */
  #protocol(): string {
    return /^-p (.*)/.exec(this.#general.get('-p') ?? '')?.[1] ?? ''
  }

  #step(expression: Expression): boolean {
    this.#loaded = undefined
    switch (expression.name) {
      case 'counter':
        return this.#counters++ === 0
      case 'match':
        return this.#match(matchText(expression, this.#family))
      case 'limit':
        return this.#match(limitText(expression))
      case 'target':
        return this.#finish(targetText(expression, this.#family))
      case 'log':
        return this.#finish(logText(expression))
      case 'immediate':
        return this.#finish(endText(endOf(expression)))
      default:
        return false
    }
  }

  #match(text: string | undefined): boolean {
    if (text !== undefined) this.#matches.push(text)
    return text !== undefined
  }

  #finish(text: string | undefined): boolean {
    this.#end = text
    return text !== undefined
  }
}

function setOnce<K>(map: Map<K, string>, key: K, text: string): boolean {
  return !map.has(key) && map.set(key, text).size > 0
}

function limitText({ rate, unit, burst, type, flags }: Expressions['limit']): string | undefined {
  const name = Object.entries(rateUnits).find(([, seconds]) => seconds === unit)?.[0]
  if (name === undefined || rate === 0n || type !== undefined || flags !== undefined) return undefined
  return words(
    '-m limit --limit',
    printedRate(`${rate}/${name}`),
    burst === USUAL_BURST ? '' : `--limit-burst ${burst}`,
  )
}

function logText({
  prefix = '',
  group,
  level,
  flags,
  snaplen,
  qthreshold = 0,
}: Expressions['log']): string | undefined {
  if (group === undefined || level !== undefined || flags !== undefined) return undefined
  return `-j ${nflogText({ prefix, group, size: snaplen, threshold: qthreshold })}`
}
