// What `language-functions.ts` has a bundle call instead of functions of the language. Each stands for itself: it uses no
// other of this file. A list that is no ordinary array, and what is no function, is left to the language.

type Call<R> = (item: unknown, index: number, list: unknown[]) => R

/** `list.map(call)` */
export function ownMap(list: unknown[], call: Call<unknown>): unknown[] {
  if (!Array.isArray(list) || list.constructor !== Array || typeof call !== 'function') return list.map(call)
  const { length } = list
  const made: unknown[] = []
  for (let index = 0; index < length; index++) {
    const item: unknown = list[index]
    if (item !== undefined || index in list) made[index] = call(item, index, list)
  }
  made.length = length
  return made
}

/** `list.filter(call)` */
export function ownFilter(list: unknown[], call: Call<unknown>): unknown[] {
  if (!Array.isArray(list) || list.constructor !== Array || typeof call !== 'function') return list.filter(call)
  const { length } = list
  const made: unknown[] = []
  for (let index = 0; index < length; index++) {
    const item: unknown = list[index]
    if ((item !== undefined || index in list) && call(item, index, list)) made.push(item)
  }
  return made
}

/** `list.flatMap(call)` */
export function ownFlatMap(list: unknown[], call: Call<unknown>): unknown[] {
  if (!Array.isArray(list) || list.constructor !== Array || typeof call !== 'function') return list.flatMap(call)
  const { length } = list
  const made: unknown[] = []
  for (let index = 0; index < length; index++) {
    const item: unknown = list[index]
    if (item === undefined && !(index in list)) continue
    const items: unknown = call(item, index, list)
    if (!Array.isArray(items)) made.push(items)
    else for (let at = 0; at < items.length; at++) if (at in items) made.push(items[at])
  }
  return made
}

/** `list.forEach(call)` */
export function ownForEach(list: unknown[], call: Call<unknown>): void {
  if (!Array.isArray(list) || typeof call !== 'function') {
    list.forEach(call)
    return
  }
  const { length } = list
  for (let index = 0; index < length; index++) {
    const item: unknown = list[index]
    if (item !== undefined || index in list) call(item, index, list)
  }
}

/** `list.some(call)` */
export function ownSome(list: unknown[], call: Call<unknown>): boolean {
  if (!Array.isArray(list) || typeof call !== 'function') return list.some(call)
  const { length } = list
  for (let index = 0; index < length; index++) {
    const item: unknown = list[index]
    if ((item !== undefined || index in list) && call(item, index, list)) return true
  }
  return false
}

/** `list.every(call)` */
export function ownEvery(list: unknown[], call: Call<unknown>): boolean {
  if (!Array.isArray(list) || typeof call !== 'function') return list.every(call)
  const { length } = list
  for (let index = 0; index < length; index++) {
    const item: unknown = list[index]
    if ((item !== undefined || index in list) && !call(item, index, list)) return false
  }
  return true
}

/** `list.find(call)` */
export function ownFind(list: unknown[], call: Call<unknown>): unknown {
  if (!Array.isArray(list) || typeof call !== 'function') return list.find(call)
  const { length } = list
  for (let index = 0; index < length; index++) {
    const item: unknown = list[index]
    if (call(item, index, list)) return item
  }
  return undefined
}

/** `list.findIndex(call)` */
export function ownFindIndex(list: unknown[], call: Call<unknown>): number {
  if (!Array.isArray(list) || typeof call !== 'function') return list.findIndex(call)
  const { length } = list
  for (let index = 0; index < length; index++) if (call(list[index], index, list)) return index
  return -1
}

/** `list.findLast(call)` */
export function ownFindLast(list: unknown[], call: Call<unknown>): unknown {
  if (!Array.isArray(list) || typeof call !== 'function') return list.findLast(call)
  for (let index = list.length - 1; index >= 0; index--) {
    const item: unknown = list[index]
    if (call(item, index, list)) return item
  }
  return undefined
}

/** `list.reduce(call, start)` */
export function ownReduce(
  list: unknown[],
  call: (made: unknown, item: unknown, index: number, list: unknown[]) => unknown,
  start: unknown,
): unknown {
  if (!Array.isArray(list) || typeof call !== 'function') return list.reduce(call, start)
  const { length } = list
  let made = start
  for (let index = 0; index < length; index++) {
    const item: unknown = list[index]
    if (item !== undefined || index in list) made = call(made, item, index, list)
  }
  return made
}

/** `Object.fromEntries(entries)` */
export function ownFromEntries(entries: Iterable<readonly [PropertyKey, unknown]>): object {
  if (!Array.isArray(entries)) return Object.fromEntries(entries)
  const made: Record<PropertyKey, unknown> = {}
  for (const entry of entries) {
    // Assigned, that one would be no member.
    if (!Array.isArray(entry) || entry[0] === '__proto__') return Object.fromEntries(entries)
    made[entry[0]] = entry[1]
  }
  return made
}

/** `Object.hasOwn(object, name)` */
export function ownHasOwn(object: object, name: PropertyKey): boolean {
  // biome-ignore lint/suspicious/noPrototypeBuiltins: it is what the other is made of, and no text.
  return Object.prototype.hasOwnProperty.call(object, name)
}

interface Resolvers {
  readonly promise: Promise<unknown>
  resolve(value: unknown): void
  reject(reason: unknown): void
}

/** `new Promise(executor)` */
export function ownPromise(
  executor: (resolve: Resolvers['resolve'], reject: Resolvers['reject']) => void,
): Promise<unknown> {
  // The types are those of Node 20, which lacks it.
  const { promise, resolve, reject } = (Promise as unknown as { withResolvers(): Resolvers }).withResolvers()
  try {
    executor(resolve, reject)
  } catch (error) {
    reject(error)
  }
  return promise
}
