package io.indexview.local;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Loads DynamoDB Local's parsers of expressions. They were made with an older ANTLR than the one
 * that runs them here, beside the parser of filters; they work, but each says so on standard error
 * when it is loaded, amid what the user reads.
 */
final class QuietParsers {
  private static final String GRAMMAR = "com.amazon.dynamodb.grammar.DynamoDbGrammar";

  private QuietParsers() {}

  @SuppressWarnings("checkstyle:regexp") // nothing is written to it
  static void load() throws ClassNotFoundException {
    PrintStream standardError = System.err;
    try (PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
      System.setErr(nowhere);
      Class.forName(GRAMMAR + "Lexer");
      Class.forName(GRAMMAR + "Parser");
    } finally {
      System.setErr(standardError);
    }
  }
}
