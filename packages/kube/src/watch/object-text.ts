/** Maximum size of an object in bytes, above etcd's own limit of 1.5 MiB. */
export const maxObjectBytes = 2 * 1024 * 1024

/** Parses the JSON text of an object, list or event. `undefined` if the text is invalid. */
export function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
