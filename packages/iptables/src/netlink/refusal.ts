import { isNftError, type NftError } from '@cni/nftables/wire'
import { IptablesError } from '../errors.ts'
import { isBuiltin } from '../rules/model.ts'
import { privilegeHint } from '../run/hints.ts'
import { stepsText } from '../steps/steps.ts'
import type { Purpose } from './compile.ts'

/** Converts a netlink error to an `IptablesError`. `purposes` has an entry for each batch message. */
export function kernelRefusal(error: unknown, purposes: readonly Purpose[]): unknown {
  if (!isNftError(error)) return error
  const { faults } = error
  if (error.code === 'DENIED') {
    return new IptablesError('DENIED', `nf_tables refused access: EPERM, ${privilegeHint}`, {
      cause: error,
    })
  }
  if (faults.length === 0) return new IptablesError(codeOf(error), error.message, { cause: error })
  const shownFaults = faults.slice(0, MAX_FAULTS_SHOWN).map((fault) => sentence(fault, purposes[fault.index]))
  const more = faults.length > MAX_FAULTS_SHOWN ? [`and ${faults.length - MAX_FAULTS_SHOWN} more`] : []
  const message = `nf_tables refused the rules, and wrote none of them: ${[...shownFaults, ...more].join('; ')}`
  return new IptablesError(codeOf(error), message, { cause: error })
}

// internal

/** Maximum number of refused rules that an error message lists. The error's `cause` contains all refused rules. */
const MAX_FAULTS_SHOWN = 3

const codes: Readonly<Partial<Record<NftError['code'], IptablesError['code']>>> = {
  DENIED: 'DENIED',
  UNSUPPORTED: 'NO_MODULE',
  CHANGED: 'CHANGED',
}

function codeOf({ code, faults }: NftError): IptablesError['code'] {
  const known = codes[code]
  if (known !== undefined) return known
  const missing = faults.filter((fault) => fault.code === 'ENOENT' && fault.kind === 'rule')
  if (missing.some(({ part = '' }) => /\((?:match|target)\)/.test(part))) return 'NO_MODULE'
  return missing.some(({ part = '' }) => part.includes('(immediate)')) ? 'NO_CHAIN' : 'REFUSED'
}

function sentence(fault: NftError['faults'][number], purpose: Purpose | undefined): string {
  if (purpose === undefined) return fault.text
  const { table, step } = purpose
  const line = stepsText(new Map([[table, [step]]])).split('\n')[1] ?? ''
  const shown = line.length > MAX_RULE_CHARS ? `${line.slice(0, MAX_RULE_CHARS)}…` : line
  const reason = reasonFor(fault, purpose)
  return `${fault.text}${reason === undefined ? '' : `, ${reason}`} (${shown})`
}

/** Explains the kernel's error code for a refused rule or chain. */
function reasonFor({ code, kind, part }: NftError['faults'][number], { table, step }: Purpose): string | undefined {
  if (kind === 'chain' && code === 'EEXIST' && isBuiltin(table, step.chain)) {
    return 'but not as iptables attaches it: another program created a chain of this name, whose rules see other packets or none'
  }
  if (kind !== 'rule') return undefined
  if (code === 'EOVERFLOW') return 'a value in it is too long'
  // The kernel checks a chain's rules again when a new jump leads to the chain.
  if (code === 'EINVAL' && part === undefined && !('rule' in step && / --[ug]id-owner /.test(` ${step.rule.text} `))) {
    return `the kernel does not take it in this chain, or not what it jumps to when that is reached from ${step.chain}`
  }
  return undefined
}

/** Maximum number of characters that an error message quotes of a rule. */
const MAX_RULE_CHARS = 300
