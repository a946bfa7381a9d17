/**
 * Waits until a stopped task has ended, but at most `ms` milliseconds. Reason: the kernel may block the task for ever,
 * for example on a dead disk.
 */
export async function endWithin(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
