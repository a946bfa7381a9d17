type Line = (message: string, labels?: object) => void

/** Creates a log that appends each message to `lines`, as `level message`. */
export function recordingLog(
  lines: string[],
  show: (message: string, labels?: object) => string = (message) => message,
): Record<'debug' | 'info' | 'warn' | 'error', Line> {
  const at =
    (level: string): Line =>
    (message, labels) =>
      void lines.push(`${level} ${show(message, labels)}`)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
