/** How `npm run test:arm64` ends. */
export const [USAGE, FAILED, LATE, SKIPPED] = [2, 3, 4, 77]
