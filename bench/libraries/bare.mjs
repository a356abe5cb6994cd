/** The measure of all: nothing around the function. */
export default {
  build: (fn) => fn,
};
