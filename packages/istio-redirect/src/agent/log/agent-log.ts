import type { Labels, ScopedLog } from '../shared/deps.ts'
import type { LogEntry } from './format.ts'
import { isShown, type LogSettings, levelOf } from './levels.ts'

/** Destination of the agent's log lines: a standard stream or a file. */
export interface LogWriter {
  /** Writes a log line as JSON or text. The value `unless-terminal` means text for terminals, and JSON otherwise. */
  write(entry: LogEntry, json: boolean | 'unless-terminal'): void
}

/** Log of the agent. All scopes share one format. The levels can change while the agent runs. */
export interface AgentLog {
  scope(name: string): ScopedLog
  /** Prints a line that has a time and a scope, such as a plugin's line. */
  emit(entry: LogEntry): void
  configure(settings: LogSettings): void
}

const BEFORE_CONFIGURATION: LogSettings = { levels: {}, json: false, targets: ['stdout'] }

/** Creates the agent's log. The function `open` returns the writer of a log target. */
export function agentLog(open: (target: string) => LogWriter, now: () => Date = () => new Date()): AgentLog {
  let settings = BEFORE_CONFIGURATION
  let writers: readonly LogWriter[] = settings.targets.map(open)
  const emit = (entry: LogEntry): void => {
    if (!isShown(entry.level, levelOf(settings.levels, entry.scope))) return
    for (const writer of writers) writer.write(entry, settings.json)
  }
  const line = (level: LogEntry['level'], scope: string) => (msg: string, labels?: Labels) =>
    emit({ level, scope, msg, labels, time: microseconds(now()) })
  return {
    emit,
    scope: (name) => ({
      debug: line('debug', name),
      info: line('info', name),
      warn: line('warn', name),
      error: line('error', name),
    }),
    configure(next) {
      const targets = next.targets.length > 0 ? next.targets : ['stdout']
      if (targets.join() !== settings.targets.join()) writers = targets.map(open)
      settings = { ...next, targets }
    },
  }
}

const microseconds = (date: Date): string => date.toISOString().replace('Z', '000Z')
