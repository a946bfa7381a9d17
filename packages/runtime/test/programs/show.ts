/** Prints the value or error of an expression, in equal format on the small runtime and on Node. */
export function show(label: string, action: () => unknown): void {
  process.stdout.write(`${label}: ${outcome(action)}\n`)
}

export async function showAsync(label: string, action: () => Promise<unknown>): Promise<void> {
  let value: unknown
  try {
    value = await action()
  } catch (error) {
    process.stdout.write(`${label}: ${failure(error)}\n`)
    return
  }
  process.stdout.write(`${label}: ${text(value)}\n`)
}

function outcome(action: () => unknown): string {
  let value: unknown
  try {
    value = action()
  } catch (error) {
    return failure(error)
  }
  return text(value)
}

export function failure(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${text(error)}`
  const { name, message, ...own } = error
  return `threw ${name}: ${message} ${text(own)}`
}

export function text(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => {
    if (typeof one === 'bigint') return `${one}n`
    if (one === undefined) return 'undefined'
    if (typeof one === 'number' && !Number.isFinite(one)) return String(one)
    return one
  })
}
