type Source = AsyncIterable<unknown>
type Callback = (value: unknown) => unknown

// Methods of Readable that resemble array methods. These methods ignore the option `concurrency`.

export async function forEach(source: Source, callback: Callback): Promise<void> {
  for await (const value of source) await callback(value)
}

export async function* map(source: Source, callback: Callback): AsyncGenerator {
  for await (const value of source) yield await callback(value)
}

export async function* filter(source: Source, callback: Callback): AsyncGenerator {
  for await (const value of source) if (await callback(value)) yield value
}

export async function find(source: Source, callback: Callback): Promise<unknown> {
  for await (const value of source) if (await callback(value)) return value
  return undefined
}

export async function some(source: Source, callback: Callback): Promise<boolean> {
  for await (const value of source) if (await callback(value)) return true
  return false
}

export const every = async (source: Source, callback: Callback): Promise<boolean> =>
  !(await some(source, async (value) => !(await callback(value))))

export async function toArray(source: Source): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const value of source) all.push(value)
  return all
}
