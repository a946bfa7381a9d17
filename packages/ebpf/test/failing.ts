import { expect } from 'vitest'

/** Matcher for an `EbpfError` with the given code, whose message contains the given texts in order. */
export const failing = (code: string, ...parts: string[]) =>
  expect.objectContaining({
    name: 'EbpfError',
    code,
    message: expect.stringMatching(
      new RegExp(parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*')),
    ),
  })
