import { isObject } from '@cni/types'

/** Name, UID and version of an object. A missing one is the empty text. */
export interface Identity {
  /** `namespace/name`, or the name of an object without a namespace. */
  readonly key: string
  readonly uid: string
  readonly version: string
}

/** Reads the identity of an object; `undefined` for anything without a name. */
export function identityOf(object: unknown): Identity | undefined {
  const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {}
  const [namespace, name] = [text(metadata.namespace), text(metadata.name)]
  if (name === '') return undefined
  const key = namespace === '' ? name : `${namespace}/${name}`
  return { key, uid: text(metadata.uid), version: text(metadata.resourceVersion) }
}

/** Compares versions of one object: decimal numbers, which may be larger than a double can hold. */
export const isOlder = (one: string, other: string): boolean =>
  one.length === other.length ? one < other : one.length < other.length

// internal

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
