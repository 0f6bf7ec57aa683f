"""A language model with recurrent layers, as in PyTorch's word-language example."""

from torch import nn


class LanguageModel(nn.Module):
    def __init__(self, vocab_size=33278, embedding_dim=650, hidden_size=650, num_layers=2,
                 dropout=0.5):  # fmt: skip
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.Embedding(vocab_size, embedding_dim)
        self.rnn = nn.LSTM(
            embedding_dim, hidden_size, num_layers, dropout=dropout, batch_first=True
        )
        self.decoder = nn.Linear(hidden_size, vocab_size)

    def forward(self, ids):
        hidden, _ = self.rnn(self.drop(self.encoder(ids)))
        return self.decoder(self.drop(hidden))
