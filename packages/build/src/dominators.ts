/**
 * What all ways from a root to a node go through last, for each node that there is a way to: by the algorithm of Cooper,
 * Harvey and Kennedy. The root is its own; in the result a node comes behind what is its own.
 */
export function dominators<T>(root: T, next: (node: T) => Iterable<T>): ReadonlyMap<T, T> {
  const order = beforeWhatTheyLeadTo(root, next)
  const places = new Map(order.map((node, place) => [node, place]))
  const placeOf = (node: T): number => places.get(node) ?? 0
  const comesFrom = new Map<T, T[]>(order.map((node) => [node, []]))
  for (const node of order) for (const other of next(node)) comesFrom.get(other)?.push(node)
  const found = new Map<T, T>([[root, root]])
  const common = (a: T, b: T): T => {
    while (a !== b) {
      if (placeOf(a) > placeOf(b)) a = found.get(a) ?? root
      else b = found.get(b) ?? root
    }
    return a
  }
  for (let isSettled = false; !isSettled; ) {
    isSettled = true
    for (const node of order.slice(1)) {
      const known = (comesFrom.get(node) ?? []).filter((one) => found.has(one))
      const dominator = known.reduce(common)
      if (found.get(node) === dominator) continue
      found.set(node, dominator)
      isSettled = false
    }
  }
  return found
}

// internal

/** The reverse of the order in which a walk into the depth is done with them. */
function beforeWhatTheyLeadTo<T>(root: T, next: (node: T) => Iterable<T>): T[] {
  const done: T[] = []
  const seen = new Set([root])
  // Not by recursion: a chain may be as long as there are nodes.
  const open = [{ node: root, left: next(root)[Symbol.iterator]() }]
  for (let one = open.at(-1); one !== undefined; one = open.at(-1)) {
    const step = one.left.next()
    if (step.done) {
      done.push(one.node)
      open.pop()
    } else if (!seen.has(step.value)) {
      seen.add(step.value)
      open.push({ node: step.value, left: next(step.value)[Symbol.iterator]() })
    }
  }
  return done.reverse()
}
