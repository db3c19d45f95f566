/** */
export const today = {} as const;
