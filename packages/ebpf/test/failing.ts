import { expect } from 'vitest'

/** Matcher for an `EbpfError` with this code, and with these parts of the message in order. */
export const failing = (code: string, ...parts: string[]) =>
  expect.objectContaining({
    name: 'EbpfError',
    code,
    message: expect.stringMatching(
      new RegExp(parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*')),
    ),
  })
