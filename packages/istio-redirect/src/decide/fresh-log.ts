import type { LogFields } from '@cni/skel'
import type { CaptureConfig } from '../redirect/config.ts'
import type { AttachmentRecord } from '../state/attachments.ts'
import { quoted } from './before-asking.ts'
import type { DecisionLog } from './log.ts'
import type { FoundRedirect } from './redirection.ts'

type Recorded = Pick<AttachmentRecord, 'families' | 'backend'>

// What is said of rules that were written at once, whoever has made them. How long it took comes last.

/** The rules are in the kernel. */
export function logWritten(
  log: Pick<DecisionLog, 'debug'>,
  { families, backend }: Recorded,
  took: LogFields = {},
): void {
  if (backend === 'nft') log.debug('iptables by netlink', { families, ...took })
}

/** All is done. */
export function logRedirected(
  log: Pick<DecisionLog, 'info'>,
  { pod }: Pick<FoundRedirect, 'pod'>,
  { families, backend, rules }: Recorded & { readonly rules: Pick<CaptureConfig, 'interceptionMode'> },
  took: LogFields = {},
): void {
  const fields = { pod: quoted(pod), mode: rules.interceptionMode, plan: 'fresh', families, backend }
  log.info('traffic is redirected', { ...fields, ...took })
}
