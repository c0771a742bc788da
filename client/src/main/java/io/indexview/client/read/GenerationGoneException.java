package io.indexview.client.read;

/** The generation that a page token names serves no more: its rows are going, or gone. */
public final class GenerationGoneException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public GenerationGoneException(String view, int generation) {
    super(
        "View \"%s\": generation gone: the page token is of generation %d, which serves no more;"
                .formatted(view, generation)
            + " start over without the token");
  }
}
