package io.indexview.views.filter;

/**
 * An evaluation looks at too much and has to end. No exception: those CEL takes for the value of an
 * operand, and goes on with the next element.
 */
final class StepsExceededError extends Error {
  private static final long serialVersionUID = 1;

  StepsExceededError() {
    super("too many steps", null, false, false);
  }
}
