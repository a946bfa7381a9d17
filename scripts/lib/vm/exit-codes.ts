/** Exit codes of `npm run test:arm64` and `npm run test:vm`, by reason. */
export const [USAGE, FAILED, LATE, SKIPPED] = [2, 3, 4, 77]
