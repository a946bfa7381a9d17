/** Maximum length of a comma-separated list: Kubernetes' limit for all annotations of an object together. */
export const MAX_LIST_CHARS = 256 * 1024

/** Maximum number of entries in one comma-separated list of a pod's annotation or a variable. Duplicates count. */
export const MAX_LIST_ENTRIES = 4096

/** Splits a comma-separated list. Throws an `Error` if the list is too long. */
export function listEntries(list: string, maxEntries = MAX_LIST_ENTRIES): string[] {
  if (list.length > MAX_LIST_CHARS) {
    throw new Error(`the list has ${list.length} characters, at most ${MAX_LIST_CHARS} are possible: shorten it`)
  }
  let entries = 1
  for (let at = list.indexOf(','); at !== -1; at = list.indexOf(',', at + 1)) entries += 1
  if (entries > maxEntries) {
    throw new Error(`the list has ${entries} entries, at most ${maxEntries} are possible: shorten it`)
  }
  return list.split(',')
}
