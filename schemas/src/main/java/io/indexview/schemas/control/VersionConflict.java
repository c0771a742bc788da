package io.indexview.schemas.control;

/** A spec is not of the version that its change was meant for; nothing was changed. */
public final class VersionConflict extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String view;
  private final long expected;
  private final long actual;

  /**
   * @param expected {@link SpecLog#ABSENT}: none
   * @param actual {@link SpecLog#ABSENT}: none
   */
  public VersionConflict(String view, long expected, long actual) {
    super(
        "View \"%s\" %s, the change was made for %s; look at it again, then change it"
            .formatted(
                view,
                actual == SpecLog.ABSENT ? "is not defined" : "is at version " + actual,
                expected == SpecLog.ABSENT ? "a view that is not defined" : "version " + expected));
    this.view = view;
    this.expected = expected;
    this.actual = actual;
  }

  public String view() {
    return view;
  }

  /** {@link SpecLog#ABSENT}: none. */
  public long expected() {
    return expected;
  }

  /** {@link SpecLog#ABSENT}: none. */
  public long actual() {
    return actual;
  }
}
