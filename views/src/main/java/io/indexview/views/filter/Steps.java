package io.indexview.views.filter;

import dev.cel.common.values.CelByteString;
import io.indexview.views.filter.FilterEnvironment.FilterLimits;
import java.util.Collection;
import java.util.Map;

/**
 * What an evaluation has looked at so far: characters, bytes, elements. Not safe for use by several
 * threads.
 */
final class Steps {
  /** An element is not only looked at, CEL copies and converts it with its array. */
  static final int ELEMENT = 20;

  private long taken;

  /** Called before each evaluation. */
  void renew() {
    taken = 0;
  }

  /**
   * @throws StepsExceededError if that is too much
   */
  void take(long steps) {
    taken += steps;
    if (taken > FilterLimits.STEPS) {
      throw new StepsExceededError();
    }
  }

  /** Steps of a look at a whole value. */
  static long of(Object value) {
    if (value instanceof String text) {
      return text.length();
    }
    if (value instanceof CelByteString bytes) {
      return bytes.size();
    }
    long steps = ELEMENT;
    if (value instanceof Collection<?> elements) {
      for (Object element : elements) {
        steps += of(element);
      }
    } else if (value instanceof Map<?, ?> entries) {
      steps += of(entries.keySet()) + of(entries.values());
    }
    return steps;
  }

  /**
   * An evaluation looks at too much and has to end. No exception: those CEL takes for the value of
   * an operand, and goes on with the next element.
   */
  static final class StepsExceededError extends Error {
    private static final long serialVersionUID = 1;

    StepsExceededError() {
      super("too many steps", null, false, false);
    }
  }
}
