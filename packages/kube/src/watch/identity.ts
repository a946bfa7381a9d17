import { isObject } from '@cni/types'

/** Name, UID and resource version of a Kubernetes object. A missing member is an empty string. */
export interface Identity {
  /** Key of the object: `namespace/name`, or only the name of an object without a namespace. */
  readonly key: string
  readonly uid: string
  readonly version: string
}

/** Reads the name, UID and version of a Kubernetes object; `undefined` for an object without a name. */
export function identityOf(object: unknown): Identity | undefined {
  const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {}
  const [namespace, name] = [text(metadata.namespace), text(metadata.name)]
  if (name === '') return undefined
  const key = namespace === '' ? name : `${namespace}/${name}`
  return { key, uid: text(metadata.uid), version: text(metadata.resourceVersion) }
}

/**
 * Compares two resource versions of one object. The versions are decimal numbers, which may exceed the range of a
 * double.
 */
export const isOlder = (one: string, other: string): boolean =>
  one.length === other.length ? one < other : one.length < other.length

// internal

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
