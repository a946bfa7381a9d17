import type { PlannedChange } from './change.ts'
import type { InstallEvent } from './events.ts'

type Line = ReturnType<typeof eventLines>[number]

/** Formats an event of the installer as log lines: sentences with fields. */
export function eventLines(event: InstallEvent): readonly {
  readonly level: 'info' | 'warn' | 'error'
  readonly text: string
  readonly fields?: Readonly<Record<string, string | number | undefined>>
}[] {
  switch (event.type) {
    case 'changed': {
      const { action, path, reason, heal, ms } = event
      const text = `${heal ? 'healed' : DONE[action]} ${path}`
      return [{ level: 'info', text, fields: { action, reason, ms: tenths(ms) } }]
    }
    case 'ready': {
      const text = `the plugin is installed${event.primary === undefined ? '' : ` in ${event.primary}`}`
      return [{ level: 'info', text, fields: { ms: tenths(event.ms) } }]
    }
    case 'not-ready':
      return [{ level: 'warn', text: `not ready: ${event.reason}` }]
    case 'failed': {
      const { artefact, attempt, retryMs, error } = event
      return [{ level: 'error', text: error.message, fields: { artefact, attempt, retryMs: Math.round(retryMs) } }]
    }
    case 'adopted':
      return [{ level: 'info', text: `the primary network is ${event.primary}`, fields: { former: event.former } }]
    case 'preempted': {
      const text = `runtimes use ${event.by}, but the plugin is in ${event.primary}: ${event.hint}`
      return [{ level: 'warn', text }]
    }
    case 'contended': {
      const text = `something keeps changing ${event.path}: ${event.hint}`
      return [{ level: 'warn', text, fields: { rewrites: event.rewrites } }]
    }
    case 'withdrawn': {
      const text = `the plugin was taken out of ${event.path} until it works again: ${event.reason}`
      return [{ level: 'error', text }]
    }
    case 'skipped': {
      const { path, reason, more } = event
      const text =
        more === undefined
          ? `no runtime can load ${path}: ${reason}`
          : `no runtime can load ${more} more files of ${path}`
      return [{ level: 'warn', text }]
    }
    case 'runtimes':
      return runtimeLines(event)
  }
}

// internal

/**
 * Returns no lines if no container runtime runs the plugin (`fail`). Reason: the event `not-ready` prints the same
 * sentences.
 */
function runtimeLines({ readings, verdict }: Extract<InstallEvent, { type: 'runtimes' }>): readonly Line[] {
  if (verdict === 'fail') return []
  return readings.map(({ runs, text, next }) =>
    runs === 'yes' ? { level: 'info', text } : { level: 'warn', text: `${text}: ${next ?? runs}` },
  )
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10

const DONE: Readonly<Record<PlannedChange['action'], string>> = {
  create: 'wrote',
  replace: 'wrote',
  chmod: 'changed',
  convert: 'converted',
  remove: 'removed',
}
