import { isObject } from '@cni/types'

/** Name, UID and version of an object. A missing one is an empty string. */
export interface Identity {
  /** `namespace/name`, or the name of an object without a namespace. */
  readonly key: string
  readonly uid: string
  readonly version: string
}

/** Identity of an object; `undefined` for an object without a name. */
export function identityOf(object: unknown): Identity | undefined {
  const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {}
  const [namespace, name] = [text(metadata.namespace), text(metadata.name)]
  if (name === '') return undefined
  const key = namespace === '' ? name : `${namespace}/${name}`
  return { key, uid: text(metadata.uid), version: text(metadata.resourceVersion) }
}

/** Compares two versions of one object. They are decimal numbers, which may exceed the range of a double. */
export const isOlder = (one: string, other: string): boolean =>
  one.length === other.length ? one < other : one.length < other.length

// internal

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
