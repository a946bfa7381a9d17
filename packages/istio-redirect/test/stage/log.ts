/** Creates a log that appends each message to `lines`, as `level message labels`. */
export function recordingLog(lines: string[]) {
  const at = (level: string) => (message: string, labels?: object) => {
    lines.push(`${level} ${message}${labels === undefined ? '' : ` ${JSON.stringify(labels)}`}`)
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
